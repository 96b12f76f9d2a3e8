"""The letters' texts. Templates say them in English; here they are in the other languages, by what English says.

A text that has no translation fails where it is said, not silently; tests/messaging/test_letter_words.py has them all.
"""

from collections.abc import Callable, Mapping

AFRIKAANS = {
    # feite, in ’n kolom
    "Address": "Adres",
    "Code": "Kode",
    "Doors": "Deure",
    "Ends": "Eindig",
    "Error": "Fout",
    "Fees": "Fooie",
    "For you": "Vir jou",
    "Last error": "Laaste fout",
    "New date": "Nuwe datum",
    "Order": "Bestelling",
    "Place": "Plek",
    "Refund": "Terug",
    "Show": "Vertoning",
    "Since": "Sedert",
    "Starts": "Begin",
    "Total": "Totaal",
    "Was on": "Was op",
    "When": "Wanneer",
    "Where": "Waar",
    "Before": "Voorheen",
    "Now": "Nou",
    "code": "kode",
    "anywhere": "enige plek",
    "no seat any more": "geen sitplek meer nie",
    "To be announced": "Word nog aangekondig",
    "to be announced": "word nog aangekondig",
    "new date to come": "nuwe datum volg nog",
    # skakels
    "See your order": "Sien jou bestelling",
    "See your tickets": "Sien jou kaartjies",
    "See your ticket": "Sien jou kaartjie",
    "See your ticket:": "Sien jou kaartjie:",
    "See, print or pass on your tickets:": "Sien, druk of gee jou kaartjies aan:",
    "See the show": "Sien die vertoning",
    "See what else is on": "Sien wat anders aan is",
    "See what else is on:": "Sien wat anders aan is:",
    "See where you stand": "Sien waar jy staan",
    "See where you stand, or leave the list:": "Sien waar jy staan, of verlaat die lys:",
    "Choose your seats": "Kies jou sitplekke",
    "Choose your seats:": "Kies jou sitplekke:",
    "To the waiting room": "Na die wagkamer",
    "Buy now": "Koop nou",
    "Buy now:": "Koop nou:",
    "Wait again": "Wag weer",
    "Sign in": "Meld aan",
    "Accept the invitation": "Aanvaar die uitnodiging",
    "Take them, or have your money back": "Neem hulle, of kry jou geld terug",
    "Take them, or have your money back:": "Neem hulle, of kry jou geld terug:",
    "Keep them, or have your money back": "Hou hulle, of kry jou geld terug",
    "Keep them, or have your money back:": "Hou hulle, of kry jou geld terug:",
    # hoekom iemand dit kry
    "You get this message because you have a place in this show.":
        "Jy kry hierdie boodskap omdat jy ’n plek by hierdie vertoning het.",
    "You get this message because you paid for tickets.":
        "Jy kry hierdie boodskap omdat jy vir kaartjies betaal het.",
    "You get this message because you bought tickets.":
        "Jy kry hierdie boodskap omdat jy kaartjies gekoop het.",
    "You get this message because it is about your account.":
        "Jy kry hierdie boodskap omdat dit oor jou rekening gaan.",
    "You get this message because you asked to be told when the queue opens.":
        "Jy kry hierdie boodskap omdat jy gevra het om te hoor wanneer die ry oopmaak.",
    "You get this message because you are in the queue of this show.":
        "Jy kry hierdie boodskap omdat jy in die ry vir hierdie vertoning is.",
    "You get this message because somebody asked for a link to sign in with your address.":
        "Jy kry hierdie boodskap omdat iemand ’n skakel gevra het om met jou adres aan te meld.",
    "You get this message because somebody of the team invited you.":
        "Jy kry hierdie boodskap omdat iemand van die span jou genooi het.",
    "You get this message because somebody gave you a ticket.":
        "Jy kry hierdie boodskap omdat iemand vir jou ’n kaartjie gegee het.",
    "You get this message because the ticket was yours.":
        "Jy kry hierdie boodskap omdat die kaartjie joune was.",
    "You get this message because you were on the waiting list of this show.":
        "Jy kry hierdie boodskap omdat jy op die waglys vir hierdie vertoning was.",
    "You get this message because you are on the waiting list of this show.":
        "Jy kry hierdie boodskap omdat jy op die waglys vir hierdie vertoning is.",
    "You get this message because this address was put on the waiting list of this show.":
        "Jy kry hierdie boodskap omdat hierdie adres op die waglys vir hierdie vertoning geplaas is.",
    "You get this message because you run this organisation.":
        "Jy kry hierdie boodskap omdat jy hierdie organisasie bestuur.",
    # bestellings
    "Your tickets": "Jou kaartjies",
    "Your tickets for %(show)s": "Jou kaartjies vir %(show)s",
    "Order %(code)s.": "Bestelling %(code)s.",
    "Order %(code)s: %(num)s ticket, %(day)s": "Bestelling %(code)s: %(num)s kaartjie, %(day)s",
    "Order %(code)s: %(num)s tickets, %(day)s": "Bestelling %(code)s: %(num)s kaartjies, %(day)s",
    "Thank you. Your tickets are enclosed with this message.":
        "Dankie. Jou kaartjies is by hierdie boodskap ingesluit.",
    "Whoever has this link can use your tickets: keep it to yourself. At the entrance, show the code on your phone or "
    "on paper.":
        "Wie hierdie skakel het, kan jou kaartjies gebruik: hou dit vir jouself. Wys die kode by die ingang op jou "
        "foon of op papier.",
    "Your refund": "Jou geld terug",
    "Your refund for %(show)s": "Jou geld terug vir %(show)s",
    "A part of your money back": "’n Deel van jou geld terug",
    "A part refund for %(show)s": "’n Deel van jou geld terug vir %(show)s",
    "We have sent back %(amount)s, by the way that you paid. Banks take up to ten days to show it.":
        "Ons het %(amount)s teruggestuur soos jy betaal het. Banke neem tot tien dae om dit te wys.",
    "We have sent back %(amount)s of the %(paid)s that you paid, by the way that you paid. Banks take up to ten days "
    "to show it.":
        "Ons het %(amount)s van die %(paid)s wat jy betaal het, teruggestuur soos jy betaal het. Banke neem tot tien "
        "dae om dit te wys.",
    "%(amount)s goes back to where you paid from": "%(amount)s gaan terug na waar jy van betaal het",
    "%(amount)s goes back to you, by the way that you paid. Banks take up to ten days to show it.":
        "%(amount)s gaan terug na jou, soos jy betaal het. Banke neem tot tien dae om dit te wys.",
    "The tickets of this order are no longer good.": "Die kaartjies van hierdie bestelling geld nie meer nie.",
    "Tickets that were not refunded stay good.": "Kaartjies wat nie terugbetaal is nie, bly geldig.",
    "Your second payment goes back": "Jou tweede betaling gaan terug",
    "Your second payment goes back: %(show)s": "Jou tweede betaling gaan terug: %(show)s",
    "We got a second payment for an order that was paid already.":
        "Ons het ’n tweede betaling gekry vir ’n bestelling wat reeds betaal is.",
    "Your order stays as it is. You need not do anything.":
        "Jou bestelling bly soos dit is. Jy hoef niks te doen nie.",
    "Your money goes back": "Jou geld gaan terug",
    "Your money goes back: %(show)s": "Jou geld gaan terug: %(show)s",
    "Nothing was sold for this payment.": "Niks is vir hierdie betaling verkoop nie.",
    "Nothing was sold for this payment, because %(because)s.":
        "Niks is vir hierdie betaling verkoop nie: %(because)s.",
    "it was paid twice": "daar is twee keer betaal",
    "the show is no longer on": "die vertoning gaan nie meer voort nie",
    "the places were gone when the money came": "die plekke was weg toe die geld kom",
    "its promo code was used up when the money came": "die promosiekode was opgebruik toe die geld kom",
    "You have no tickets by this order.": "Jy het geen kaartjies deur hierdie bestelling nie.",
    "Will other seats do?": "Sal ander sitplekke deug?",
    "Will other seats do? %(show)s": "Sal ander sitplekke deug? %(show)s",
    "Your payment of %(paid)s came late, when the places that you had chosen were gone. We hold these for you instead, "
    "at the same price:":
        "Jou betaling van %(paid)s het laat gekom, toe die plekke wat jy gekies het, weg was. Ons hou hierdie in die "
        "plek daarvan vir jou, teen dieselfde prys:",
    "Please answer by": "Antwoord asseblief teen",
    "Please answer by %(day)s": "Antwoord asseblief teen %(day)s",
    "If we hear nothing until then, all of your money goes back by itself.":
        "As ons tot dan niks hoor nie, gaan al jou geld vanself terug.",
    # wat van ’n vertoning geword het
    "This show is cancelled": "Hierdie vertoning is gekanselleer",
    "Cancelled: %(show)s": "Gekanselleer: %(show)s",
    "The show on %(day)s does not take place": "Die vertoning op %(day)s gaan nie voort nie",
    "We are sorry: %(show)s does not take place.": "Ons is jammer: %(show)s gaan nie voort nie.",
    "We are sorry: this show does not take place.": "Ons is jammer: hierdie vertoning gaan nie voort nie.",
    "You need not do anything. What was paid goes back by the way that it was paid, and we write to you when it has "
    "left. Places that were only reserved are free again.":
        "Jy hoef niks te doen nie. Wat betaal is, gaan terug soos dit betaal is, en ons skryf vir jou wanneer dit "
        "weggestuur is. Plekke wat net bespreek was, is weer vry.",
    "This show is postponed": "Hierdie vertoning is uitgestel",
    "Postponed: %(show)s": "Uitgestel: %(show)s",
    "It does not take place on %(day)s; the new date follows": "Dit is nie op %(day)s nie; die nuwe datum volg",
    "%(show)s does not take place on the date below. The new one is not known yet.":
        "%(show)s is nie op die datum hieronder nie. Die nuwe een is nog nie bekend nie.",
    "This show is postponed. It does not take place on the date below; the new one is not known yet.":
        "Hierdie vertoning is uitgestel. Dit is nie op die datum hieronder nie; die nuwe een is nog nie bekend nie.",
    "Keep your tickets: they are good for the new date. We write to you as soon as it is known.":
        "Hou jou kaartjies: hulle geld vir die nuwe datum. Ons skryf vir jou sodra dit bekend is.",
    "This show has a new date": "Hierdie vertoning het ’n nuwe datum",
    "This show has a new date.": "Hierdie vertoning het ’n nuwe datum.",
    "New date: %(show)s": "Nuwe datum: %(show)s",
    "Now on %(day)s": "Nou op %(day)s",
    "Your tickets are good for the new date. If you cannot come then, answer this message.":
        "Jou kaartjies geld vir die nuwe datum. As jy dan nie kan kom nie, antwoord hierdie boodskap.",
    "This show has a new time": "Hierdie vertoning het ’n nuwe tyd",
    "New time: %(show)s": "Nuwe tyd: %(show)s",
    "The time of this show was changed.": "Die tyd van hierdie vertoning is verander.",
    "Your tickets are good for the new time. If you cannot come then, answer this message.":
        "Jou kaartjies geld vir die nuwe tyd. As jy dan nie kan kom nie, antwoord hierdie boodskap.",
    "This show has moved": "Hierdie vertoning het verskuif",
    "New venue: %(show)s": "Nuwe plek: %(show)s",
    "Now at %(venue)s": "Nou by %(venue)s",
    "Now at %(venue)s, %(address)s": "Nou by %(venue)s, %(address)s",
    "It takes place at %(venue)s. Please look at the address below before you set out.":
        "Dit is by %(venue)s. Kyk asseblief na die adres hieronder voor jy vertrek.",
    "It takes place at %(venue)s, and at another time. Please look at the address below before you set out.":
        "Dit is by %(venue)s, en op ’n ander tyd. Kyk asseblief na die adres hieronder voor jy vertrek.",
    "This show has moved to another place. Please look at the address below before you set out.":
        "Hierdie vertoning het na ’n ander plek verskuif. Kyk asseblief na die adres hieronder voor jy vertrek.",
    "This show has moved to another place, and to another time. Please look at the address below before you set out.":
        "Hierdie vertoning het na ’n ander plek en ’n ander tyd verskuif. Kyk asseblief na die adres hieronder voor jy "
        "vertrek.",
    "Your tickets are good there. If you cannot come, answer this message.":
        "Jou kaartjies geld daar. As jy nie kan kom nie, antwoord hierdie boodskap.",
    "Your seats have moved": "Jou sitplekke het verskuif",
    "Your seats have moved: %(show)s": "Jou sitplekke het verskuif: %(show)s",
    "The hall's layout had to change, and your seats with it.":
        "Die saal se uitleg moes verander, en jou sitplekke daarmee saam.",
    "%(old)s: now %(new)s": "%(old)s: nou %(new)s",
    # kaartjies op pad
    "You were given a ticket": "Jy het ’n kaartjie gekry",
    "%(name)s gave you a ticket for %(show)s": "%(name)s het vir jou ’n kaartjie vir %(show)s gegee",
    "%(name)s gave you a ticket. It is enclosed, and yours.":
        "%(name)s het vir jou ’n kaartjie gegee. Dit is ingesluit, en joune.",
    "You passed on a ticket": "Jy het ’n kaartjie aangegee",
    "You passed on a ticket for %(show)s": "Jy het ’n kaartjie vir %(show)s aangegee",
    "%(name)s has it now": "%(name)s het dit nou",
    "It is now %(name)s’s. The code that you had is no longer good at the entrance.":
        "Dit is nou %(name)s s’n. Die kode wat jy gehad het, geld nie meer by die ingang nie.",
    "Your ticket is now %(name)s’s. The code that you had is no longer good at the entrance.":
        "Jou kaartjie is nou %(name)s s’n. Die kode wat jy gehad het, geld nie meer by die ingang nie.",
    "If this was not you, answer this message at once.": "As dit nie jy was nie, antwoord hierdie boodskap dadelik.",
    # wag
    "You are on the waiting list": "Jy is op die waglys",
    "You are on the waiting list.": "Jy is op die waglys.",
    "On the waiting list: %(show)s": "Op die waglys: %(show)s",
    "We write when a place is free for you": "Ons skryf wanneer ’n plek vir jou vry is",
    "We write when %(num)s places are free for you": "Ons skryf wanneer %(num)s plekke vir jou vry is",
    "As soon as a place comes back and it is your turn, we keep it for you and write to you.":
        "Sodra ’n plek terugkom en dit jou beurt is, hou ons dit vir jou en skryf vir jou.",
    "As soon as %(num)s places together come back and it is your turn, we keep them for you and write to you.":
        "Sodra %(num)s plekke saam terugkom en dit jou beurt is, hou ons hulle vir jou en skryf vir jou.",
    "There you can also leave the list. Keep the link to yourself: it opens your place.":
        "Daar kan jy ook die lys verlaat. Hou die skakel vir jouself: dit maak jou plek oop.",
    "Keep the link to yourself: it opens your place.": "Hou die skakel vir jouself: dit maak jou plek oop.",
    "A place is free for you": "’n Plek is vry vir jou",
    "%(num)s places are free for you": "%(num)s plekke is vry vir jou",
    "%(num)s place free: %(show)s": "%(num)s plek vry: %(show)s",
    "%(num)s places free: %(show)s": "%(num)s plekke vry: %(show)s",
    "You are on the waiting list, and a place has become free (%(places)s).":
        "Jy is op die waglys, en ’n plek het vry geword (%(places)s).",
    "You are on the waiting list, and %(num)s places have become free (%(places)s).":
        "Jy is op die waglys, en %(num)s plekke het vry geword (%(places)s).",
    "We keep it for you until": "Ons hou dit vir jou tot",
    "We keep them for you until": "Ons hou hulle vir jou tot",
    "Kept for you until": "Vir jou gehou tot",
    "Yours until %(day)s": "Joune tot %(day)s",
    "After that the next one on the list is asked.": "Daarna word die volgende een op die lys gevra.",
    "Your time was over": "Jou tyd was verby",
    "No longer kept for you: %(show)s": "Nie meer vir jou gehou nie: %(show)s",
    "The next one on the list is asked now": "Die volgende een op die lys word nou gevra",
    "The next one on the list is asked now.": "Die volgende een op die lys word nou gevra.",
    "We kept a place for you, and did not hear from you.": "Ons het ’n plek vir jou gehou, en niks van jou gehoor nie.",
    "We kept %(num)s places for you, and did not hear from you.":
        "Ons het %(num)s plekke vir jou gehou, en niks van jou gehoor nie.",
    "If you still want to come, put your name on the list again:":
        "As jy nog wil kom, sit jou naam weer op die lys:",
    "The show that you waited for does not take place": "Die vertoning waarvoor jy gewag het, gaan nie voort nie",
    "We are sorry: %(show)s, for which you were on the waiting list, does not take place. The list is closed.":
        "Ons is jammer: %(show)s, waarvoor jy op die waglys was, gaan nie voort nie. Die lys is gesluit.",
    "We are sorry: this show, for which you were on the waiting list, does not take place. The list is closed.":
        "Ons is jammer: hierdie vertoning, waarvoor jy op die waglys was, gaan nie voort nie. Die lys is gesluit.",
    "You need not do anything, and nothing was charged for waiting.":
        "Jy hoef niks te doen nie, en niks is vir die wag gehef nie.",
    "The queue opens soon": "Die ry maak binnekort oop",
    "The queue opens soon: %(show)s": "Die ry maak binnekort oop: %(show)s",
    "Opens on": "Maak oop op",
    "The waiting room of this show opens on": "Die wagkamer vir hierdie vertoning maak oop op",
    "Come a little earlier; it does not matter who is there first before it opens.":
        "Kom ’n bietjie vroeër; wie eerste daar is voor dit oopmaak, maak nie saak nie.",
    "It is your turn": "Dit is jou beurt",
    "It is your turn: %(show)s": "Dit is jou beurt: %(show)s",
    "It is your turn. Your place at the counter is kept until":
        "Dit is jou beurt. Jou plek by die toonbank word gehou tot",
    "Come in until": "Kom in tot",
    "Come in until %(hour)s": "Kom in tot %(hour)s",
    "After that somebody else is let in, and you would have to queue again.":
        "Daarna word iemand anders ingelaat, en sou jy weer moes tou staan.",
    # rekeninge en die span
    "Sign in to %(house)s": "Meld aan by %(house)s",
    "Sign in to %(house)s with this link. It works once, for %(minutes)s minutes.":
        "Meld met hierdie skakel by %(house)s aan. Dit werk een keer, %(minutes)s minute lank.",
    "This link works once, for %(minutes)s minutes": "Hierdie skakel werk een keer, %(minutes)s minute lank",
    "The link works once, for %(minutes)s minutes.": "Die skakel werk een keer, %(minutes)s minute lank.",
    "If you did not ask for it, ignore this message: nobody can sign in without it.":
        "As jy dit nie gevra het nie, ignoreer hierdie boodskap: niemand kan daarsonder aanmeld nie.",
    "Your password was changed": "Jou wagwoord is verander",
    "All other sessions were ended": "Alle ander sessies is beëindig",
    "The password of %(email)s at %(house)s was changed, and all other sessions were ended.":
        "Die wagwoord van %(email)s by %(house)s is verander, en alle ander sessies is beëindig.",
    "If this was not you, sign in by a mailed link and change it again, and answer this message.":
        "As dit nie jy was nie, meld met ’n skakel per e-pos aan en verander dit weer, en antwoord hierdie boodskap.",
    "Join %(house)s": "Sluit aan by %(house)s",
    "You are invited to work with %(house)s as %(role)s.": "Jy is genooi om by %(house)s te werk as %(role)s.",
    "owner": "eienaar",
    "admin": "administrateur",
    "staff": "personeel",
    "scanner": "skandeerder",
    "The invitation is good for %(days)s days. If you do not know why you got it, ignore it.":
        "Die uitnodiging geld %(days)s dae lank. As jy nie weet hoekom jy dit gekry het nie, ignoreer dit.",
    "Accept within %(days)s days:": "Aanvaar binne %(days)s dae:",
    "A webhook was switched off": "’n Webhook is afgeskakel",
    "%(url)s has not answered since %(day)s": "%(url)s antwoord nie sedert %(day)s nie",
    "Not one of its deliveries has succeeded for a long time.": "Nie een van sy aflewerings het lank al geslaag nie.",
    "We switched a webhook off, because none of its deliveries has succeeded for a long time.":
        "Ons het ’n webhook afgeskakel, omdat geen van sy aflewerings lank al geslaag het nie.",
    "It gets nothing while it is switched off, and what happens meanwhile is not sent to it later. The deliveries that "
    "failed are listed with it for 30 days. Mend the receiver, switch the webhook on, then send each of them again "
    "from that list.":
        "Dit kry niks terwyl dit af is nie, en wat intussen gebeur, word nie later gestuur nie. Die aflewerings wat "
        "misluk het, bly 30 dae lank daarby gelys. Maak die ontvanger reg, skakel die webhook aan, en stuur dan elkeen "
        "weer van daardie lys af.",
}  # fmt: skip

TEXTS: Mapping[str, Callable[[str], str]] = {"en": str, "af": AFRIKAANS.__getitem__}
