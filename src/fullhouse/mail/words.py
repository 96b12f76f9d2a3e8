"""The emails' texts. Templates contain them in English; the catalogue here translates them, keyed by the English text.

A text without a translation raises while it is rendered; tests/messaging/test_letter_words.py checks all of them.
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
    "Offered": "Aangebied",
    "Last error": "Laaste fout",
    "New date": "Nuwe datum",
    "Order": "Bestelling",
    "Seat": "Sitplek",
    "Refund": "Terugbetaal",
    "Event": "Geleentheid",
    "Since": "Sedert",
    "Starts": "Begin",
    "Total": "Totaal",
    "Old date": "Ou datum",
    "When": "Wanneer",
    "Where": "Waar",
    "Before": "Voorheen",
    "Now": "Nou",
    "code": "kode",
    "general admission": "algemene toegang",
    "no replacement seat": "geen plaasvervangende sitplek nie",
    "To be announced": "Word nog aangekondig",
    "to be announced": "word nog aangekondig",
    "new date to be announced": "nuwe datum word nog aangekondig",
    # skakels
    "View your order": "Bekyk jou bestelling",
    "View your tickets": "Bekyk jou kaartjies",
    "View your ticket": "Bekyk jou kaartjie",
    "View your ticket:": "Bekyk jou kaartjie:",
    "View, print or transfer your tickets:": "Bekyk jou kaartjies, druk hulle of dra hulle oor:",
    "View the event": "Bekyk die geleentheid",
    "See other events": "Sien ander geleenthede",
    "See other events:": "Sien ander geleenthede:",
    "Check your position": "Sien jou posisie",
    "Check your position or leave the waitlist:": "Sien jou posisie of verlaat die waglys:",
    "Choose your seats": "Kies jou sitplekke",
    "Choose your seats:": "Kies jou sitplekke:",
    "Go to the waiting room": "Gaan na die wagkamer",
    "Buy now": "Koop nou",
    "Buy now:": "Koop nou:",
    "Join the waitlist again": "Sluit weer by die waglys aan",
    "Sign in": "Meld aan",
    "Accept the invitation": "Aanvaar die uitnodiging",
    "Accept these seats or get a refund": "Aanvaar hierdie sitplekke of kry jou geld terug",
    "Accept these seats or get a refund:": "Aanvaar hierdie sitplekke of kry jou geld terug:",
    "Keep the new seats or get a refund": "Hou die nuwe sitplekke of kry jou geld terug",
    "Keep the new seats or get a refund:": "Hou die nuwe sitplekke of kry jou geld terug:",
    # hoekom iemand dit kry
    "You received this email because you have a ticket or a reservation for this event.":
        "Jy ontvang hierdie e-pos omdat jy ’n kaartjie of ’n bespreking vir hierdie geleentheid het.",
    "You received this email because you paid for tickets.":
        "Jy ontvang hierdie e-pos omdat jy vir kaartjies betaal het.",
    "You received this email because you bought tickets.": "Jy ontvang hierdie e-pos omdat jy kaartjies gekoop het.",
    "You received this email because it is about your account.":
        "Jy ontvang hierdie e-pos omdat dit oor jou rekening gaan.",
    "You received this email because you joined the waiting room for this event before it opened.":
        "Jy ontvang hierdie e-pos omdat jy by die wagkamer vir hierdie geleentheid aangesluit het voordat dit "
        "oopgemaak het.",
    "You received this email because you are in the waiting room for this event.":
        "Jy ontvang hierdie e-pos omdat jy in die wagkamer vir hierdie geleentheid is.",
    "You received this email because someone requested a sign-in link for your email address.":
        "Jy ontvang hierdie e-pos omdat iemand ’n aanmeldskakel vir jou e-posadres gevra het.",
    "You received this email because a member of the team invited you.":
        "Jy ontvang hierdie e-pos omdat ’n spanlid jou genooi het.",
    "You received this email because someone transferred a ticket to you.":
        "Jy ontvang hierdie e-pos omdat iemand ’n kaartjie aan jou oorgedra het.",
    "You received this email because the ticket was yours.": "Jy ontvang hierdie e-pos omdat die kaartjie joune was.",
    "You received this email because you were on the waitlist for this event.":
        "Jy ontvang hierdie e-pos omdat jy op die waglys vir hierdie geleentheid was.",
    "You received this email because you are on the waitlist for this event.":
        "Jy ontvang hierdie e-pos omdat jy op die waglys vir hierdie geleentheid is.",
    "You received this email because this address was added to the waitlist for this event.":
        "Jy ontvang hierdie e-pos omdat hierdie adres op die waglys vir hierdie geleentheid geplaas is.",
    "You received this email because you manage this organisation.":
        "Jy ontvang hierdie e-pos omdat jy hierdie organisasie bestuur.",
    # bestellings
    "Your tickets": "Jou kaartjies",
    "Your tickets for %(show)s": "Jou kaartjies vir %(show)s",
    "Order %(code)s.": "Bestelling %(code)s.",
    "Order %(code)s: %(num)s ticket, %(day)s": "Bestelling %(code)s: %(num)s kaartjie, %(day)s",
    "Order %(code)s: %(num)s tickets, %(day)s": "Bestelling %(code)s: %(num)s kaartjies, %(day)s",
    "Thank you for your order. Your tickets are attached to this email.":
        "Dankie vir jou bestelling. Jou kaartjies is by hierdie e-pos aangeheg.",
    "Anyone with this link can use your tickets, so do not share it. At the entrance, show the code on your phone or "
    "on paper.":
        "Enigiemand met hierdie skakel kan jou kaartjies gebruik, so moet dit nie deel nie. Wys die kode by die "
        "ingang op jou foon of op papier.",
    "Your refund": "Jou terugbetaling",
    "Your refund for %(show)s": "Jou terugbetaling vir %(show)s",
    "Your partial refund": "Jou gedeeltelike terugbetaling",
    "Your partial refund for %(show)s": "Jou gedeeltelike terugbetaling vir %(show)s",
    "We have refunded %(amount)s to your original payment method. It can take up to ten days to appear on your "
    "statement.":
        "Ons het %(amount)s na jou oorspronklike betaalmetode terugbetaal. Dit kan tot tien dae neem voordat dit op "
        "jou staat verskyn.",
    "We have refunded %(amount)s of the %(paid)s you paid to your original payment method. It can take up to ten days "
    "to appear on your statement.":
        "Ons het %(amount)s van die %(paid)s wat jy betaal het, na jou oorspronklike betaalmetode terugbetaal. Dit "
        "kan tot tien dae neem voordat dit op jou staat verskyn.",
    "Refund of %(amount)s to your original payment method":
        "Terugbetaling van %(amount)s na jou oorspronklike betaalmetode",
    "We are refunding %(amount)s to your original payment method. It can take up to ten days to appear on your "
    "statement.":
        "Ons betaal %(amount)s terug na jou oorspronklike betaalmetode. Dit kan tot tien dae neem voordat dit op jou "
        "staat verskyn.",
    "The tickets in this order are no longer valid.": "Die kaartjies van hierdie bestelling is nie meer geldig nie.",
    "Tickets that were not refunded remain valid.": "Kaartjies wat nie terugbetaal is nie, bly geldig.",
    "We are refunding your second payment": "Ons betaal jou tweede betaling terug",
    "Refund of your second payment: %(show)s": "Terugbetaling van jou tweede betaling: %(show)s",
    "We received a second payment for an order that was already paid.":
        "Ons het ’n tweede betaling ontvang vir ’n bestelling wat reeds betaal is.",
    "Your order is not affected. You do not need to do anything.":
        "Dit raak nie jou bestelling nie. Jy hoef niks te doen nie.",
    "We are refunding your payment": "Ons betaal jou geld terug",
    "Refund of your payment: %(show)s": "Terugbetaling: %(show)s",
    "We could not complete your order.": "Ons kon nie jou bestelling voltooi nie.",
    "We could not complete your order because %(because)s.": "Ons kon nie jou bestelling voltooi nie: %(because)s.",
    "it was paid twice": "daar is twee keer betaal",
    "the show is no longer on": "die geleentheid gaan nie meer voort nie",
    "the places were gone when the money came": "die kaartjies was nie meer beskikbaar toe jou betaling ontvang is nie",
    "its promo code was used up when the money came":
        "die promosiekode was reeds opgebruik toe jou betaling ontvang is",
    "You have no tickets from this order.": "Jy het geen kaartjies uit hierdie bestelling nie.",
    "We can offer you other seats": "Ons kan jou ander sitplekke aanbied",
    "Other seats offered: %(show)s": "Ander sitplekke aangebied: %(show)s",
    "Your payment of %(paid)s arrived late, and the seats you chose were no longer available. We are holding these "
    "for you instead, at the same price:":
        "Jou betaling van %(paid)s het laat aangekom, en die sitplekke wat jy gekies het, was nie meer beskikbaar "
        "nie. Ons hou hierdie in die plek daarvan vir jou, teen dieselfde prys:",
    "Please decide by": "Besluit asseblief teen",
    "Please decide by %(day)s": "Besluit asseblief teen %(day)s",
    "If you do not decide by then, we will automatically refund your payment in full.":
        "As jy nie teen dan besluit nie, betaal ons jou hele betaling outomaties terug.",
    # wat van ’n geleentheid geword het
    "This event is cancelled": "Hierdie geleentheid is gekanselleer",
    "Cancelled: %(show)s": "Gekanselleer: %(show)s",
    "The event on %(day)s will not take place": "Die geleentheid op %(day)s gaan nie plaasvind nie",
    "We are sorry: %(show)s will not take place.": "Ons is jammer: %(show)s gaan nie plaasvind nie.",
    "We are sorry: this event will not take place.": "Ons is jammer: hierdie geleentheid gaan nie plaasvind nie.",
    "You do not need to do anything. Payments are refunded to the original payment method, and we will email you when "
    "your refund is sent. Reservations that were not paid for have been released.":
        "Jy hoef niks te doen nie. Betalings word na die oorspronklike betaalmetode terugbetaal, en ons stuur vir jou "
        "’n e-pos wanneer jou terugbetaling weg is. Besprekings waarvoor nie betaal is nie, is vrygestel.",
    "This event is postponed": "Hierdie geleentheid is uitgestel",
    "Postponed: %(show)s": "Uitgestel: %(show)s",
    "It will not take place on %(day)s; the new date will follow":
        "Dit gaan nie op %(day)s plaasvind nie; die nuwe datum volg nog",
    "%(show)s will not take place on the date below. The new date is not known yet.":
        "%(show)s gaan nie op die datum hieronder plaasvind nie. Die nuwe datum is nog nie bekend nie.",
    "This event is postponed. It will not take place on the date below. The new date is not known yet.":
        "Hierdie geleentheid is uitgestel. Dit gaan nie op die datum hieronder plaasvind nie. Die nuwe datum is nog "
        "nie bekend nie.",
    "Keep your tickets: they are valid for the new date. We will email you as soon as it is announced.":
        "Hou jou kaartjies: hulle is geldig vir die nuwe datum. Ons stuur vir jou ’n e-pos sodra dit aangekondig word.",
    "This event has a new date": "Hierdie geleentheid het ’n nuwe datum",
    "This event has a new date.": "Hierdie geleentheid het ’n nuwe datum.",
    "New date: %(show)s": "Nuwe datum: %(show)s",
    "Now on %(day)s": "Nou op %(day)s",
    "Your tickets are valid for the new date. If you cannot come, reply to this email.":
        "Jou kaartjies is geldig vir die nuwe datum. As jy nie kan kom nie, antwoord op hierdie e-pos.",
    "This event has a new time": "Hierdie geleentheid het ’n nuwe tyd",
    "New time: %(show)s": "Nuwe tyd: %(show)s",
    "The time of this event has changed.": "Die tyd van hierdie geleentheid het verander.",
    "Your tickets are valid for the new time. If you cannot come, reply to this email.":
        "Jou kaartjies is geldig vir die nuwe tyd. As jy nie kan kom nie, antwoord op hierdie e-pos.",
    "This event has a new venue": "Hierdie geleentheid het ’n nuwe lokaal",
    "New venue: %(show)s": "Nuwe lokaal: %(show)s",
    "Now at %(venue)s": "Nou by %(venue)s",
    "Now at %(venue)s, %(address)s": "Nou by %(venue)s, %(address)s",
    "It will take place at %(venue)s. Please check the address below before you travel.":
        "Dit sal by %(venue)s plaasvind. Kyk asseblief na die adres hieronder voordat jy vertrek.",
    "It will take place at %(venue)s, at a different time. Please check the date and address below before you travel.":
        "Dit sal by %(venue)s plaasvind, op ’n ander tyd. Kyk asseblief na die datum en adres hieronder voordat jy "
        "vertrek.",
    "This event has moved to a different venue. Please check the address below before you travel.":
        "Hierdie geleentheid het na ’n ander lokaal geskuif. Kyk asseblief na die adres hieronder voordat jy vertrek.",
    "This event has moved to a different venue and a different time. Please check the date and address below before "
    "you travel.":
        "Hierdie geleentheid het na ’n ander lokaal en ’n ander tyd geskuif. Kyk asseblief na die datum en adres "
        "hieronder voordat jy vertrek.",
    "Your tickets are valid at the new venue. If you cannot come, reply to this email.":
        "Jou kaartjies is geldig by die nuwe lokaal. As jy nie kan kom nie, antwoord op hierdie e-pos.",
    "Your seats have changed": "Jou sitplekke het verander",
    "Your seats have changed: %(show)s": "Jou sitplekke het verander: %(show)s",
    "The seating plan had to change, so you have different seats.":
        "Die uitleg van die sitplekke moes verander, en daarom het jy ander sitplekke.",
    "%(old)s: now %(new)s": "%(old)s: nou %(new)s",
    # kaartjies wat oorgedra word
    "You have received a ticket": "Jy het ’n kaartjie ontvang",
    "%(name)s sent you a ticket for %(show)s": "%(name)s het vir jou ’n kaartjie vir %(show)s gestuur",
    "%(name)s transferred a ticket to you. It is attached to this email.":
        "%(name)s het ’n kaartjie aan jou oorgedra. Dit is by hierdie e-pos aangeheg.",
    "You transferred a ticket": "Jy het ’n kaartjie oorgedra",
    "You transferred a ticket for %(show)s": "Jy het ’n kaartjie vir %(show)s oorgedra",
    "It now belongs to %(name)s": "Dit behoort nou aan %(name)s",
    "It now belongs to %(name)s. Your old code is no longer valid at the entrance.":
        "Dit behoort nou aan %(name)s. Jou ou kode is nie meer by die ingang geldig nie.",
    "Your ticket now belongs to %(name)s. Your old code is no longer valid at the entrance.":
        "Jou kaartjie behoort nou aan %(name)s. Jou ou kode is nie meer by die ingang geldig nie.",
    "If you did not do this, reply to this email immediately.":
        "As jy dit nie gedoen het nie, antwoord dadelik op hierdie e-pos.",
    # waglys en wagkamer
    "You are on the waitlist": "Jy is op die waglys",
    "You are on the waitlist.": "Jy is op die waglys.",
    "On the waitlist: %(show)s": "Op die waglys: %(show)s",
    "We will email you when a ticket becomes available":
        "Ons stuur vir jou ’n e-pos wanneer ’n kaartjie beskikbaar word",
    "We will email you when %(num)s tickets become available":
        "Ons stuur vir jou ’n e-pos wanneer %(num)s kaartjies beskikbaar word",
    "When a ticket becomes available and it is your turn, we will hold it for you and email you.":
        "Wanneer ’n kaartjie beskikbaar word en dit jou beurt is, hou ons dit vir jou en stuur vir jou ’n e-pos.",
    "When %(num)s tickets together become available and it is your turn, we will hold them for you and email you.":
        "Wanneer %(num)s kaartjies saam beskikbaar word en dit jou beurt is, hou ons hulle vir jou en stuur vir jou "
        "’n e-pos.",
    "You can also leave the waitlist there. Do not share the link: it gives access to your place on the waitlist.":
        "Jy kan ook daar die waglys verlaat. Moenie die skakel deel nie: dit gee toegang tot jou plek op die waglys.",
    "Do not share the link: it gives access to your place on the waitlist.":
        "Moenie die skakel deel nie: dit gee toegang tot jou plek op die waglys.",
    "A ticket is available for you": "’n Kaartjie is vir jou beskikbaar",
    "%(num)s tickets are available for you": "%(num)s kaartjies is vir jou beskikbaar",
    "%(num)s ticket available: %(show)s": "%(num)s kaartjie beskikbaar: %(show)s",
    "%(num)s tickets available: %(show)s": "%(num)s kaartjies beskikbaar: %(show)s",
    "You are on the waitlist, and a ticket has become available (%(places)s).":
        "Jy is op die waglys, en ’n kaartjie het beskikbaar geword (%(places)s).",
    "You are on the waitlist, and %(num)s tickets have become available (%(places)s).":
        "Jy is op die waglys, en %(num)s kaartjies het beskikbaar geword (%(places)s).",
    "We are holding it for you until": "Ons hou dit vir jou tot",
    "We are holding them for you until": "Ons hou hulle vir jou tot",
    "Held for you until": "Vir jou gehou tot",
    "Held for you until %(day)s": "Vir jou gehou tot %(day)s",
    "After that, the offer goes to the next person on the waitlist.":
        "Daarna gaan die aanbod na die volgende persoon op die waglys.",
    "Your offer has expired": "Jou aanbod het verval",
    "Your offer has expired: %(show)s": "Jou aanbod het verval: %(show)s",
    "The offer has gone to the next person on the waitlist":
        "Die aanbod het na die volgende persoon op die waglys gegaan",
    "The offer has gone to the next person on the waitlist.":
        "Die aanbod het na die volgende persoon op die waglys gegaan.",
    "We held a ticket for you, but it was not bought in time.":
        "Ons het ’n kaartjie vir jou gehou, maar dit is nie betyds gekoop nie.",
    "We held %(num)s tickets for you, but they were not bought in time.":
        "Ons het %(num)s kaartjies vir jou gehou, maar hulle is nie betyds gekoop nie.",
    "If you still want to come, join the waitlist again:": "As jy nog wil kom, sluit weer by die waglys aan:",
    "The event will not take place, and its waitlist is closed":
        "Die geleentheid gaan nie plaasvind nie, en die waglys is gesluit",
    "We are sorry: %(show)s will not take place. You were on its waitlist, which is now closed.":
        "Ons is jammer: %(show)s gaan nie plaasvind nie. Jy was op die waglys, wat nou gesluit is.",
    "We are sorry: this event will not take place. You were on its waitlist, which is now closed.":
        "Ons is jammer: hierdie geleentheid gaan nie plaasvind nie. Jy was op die waglys, wat nou gesluit is.",
    "You do not need to do anything. Being on the waitlist cost you nothing.":
        "Jy hoef niks te doen nie. Die waglys het jou niks gekos nie.",
    "The waiting room opens soon": "Die wagkamer maak binnekort oop",
    "The waiting room opens soon: %(show)s": "Die wagkamer maak binnekort oop: %(show)s",
    "Opens on": "Maak oop op",
    "The waiting room for this event opens on": "Die wagkamer vir hierdie geleentheid maak oop op",
    "Come back a few minutes before. Coming first gives no advantage: the order is decided when it opens.":
        "Kom ’n paar minute vroeër terug. Wie eerste kom, het geen voordeel nie: die volgorde word bepaal wanneer dit "
        "oopmaak.",
    "It is your turn": "Dit is jou beurt",
    "It is your turn: %(show)s": "Dit is jou beurt: %(show)s",
    "It is your turn to buy tickets. You have until": "Dit is jou beurt om kaartjies te koop. Jy het tyd tot",
    "You have until": "Jy het tyd tot",
    "You have until %(hour)s": "Jy het tyd tot %(hour)s",
    "After that, your turn goes to someone else and you will have to queue again.":
        "Daarna gaan jou beurt na iemand anders, en jy sal weer in die wagkamer moet wag.",
    # rekeninge en die span
    "Sign in to %(house)s": "Meld aan by %(house)s",
    "Use this link to sign in to %(house)s. It works once and expires in %(minutes)s minutes.":
        "Gebruik hierdie skakel om by %(house)s aan te meld. Dit werk een keer en verval oor %(minutes)s minute.",
    "This link works once and expires in %(minutes)s minutes":
        "Hierdie skakel werk een keer en verval oor %(minutes)s minute",
    "The link works once and expires in %(minutes)s minutes.":
        "Die skakel werk een keer en verval oor %(minutes)s minute.",
    "If you did not request it, ignore this email: nobody can sign in without this link.":
        "As jy dit nie gevra het nie, ignoreer hierdie e-pos: niemand kan sonder hierdie skakel aanmeld nie.",
    "Your password was changed": "Jou wagwoord is verander",
    "All other sessions were signed out": "Alle ander sessies is afgemeld",
    "The password for %(email)s at %(house)s was changed, and all other sessions were signed out.":
        "Die wagwoord vir %(email)s by %(house)s is verander, en alle ander sessies is afgemeld.",
    "If you did not do this, sign in with a link by email, change the password again and reply to this email.":
        "As jy dit nie gedoen het nie, meld met ’n skakel per e-pos aan, verander die wagwoord weer en antwoord op "
        "hierdie e-pos.",
    "Join %(house)s": "Sluit aan by %(house)s",
    "You are invited to join the team of %(house)s as %(role)s.":
        "Jy is genooi om as %(role)s by die span van %(house)s aan te sluit.",
    "owner": "eienaar",
    "admin": "administrateur",
    "staff": "personeel",
    "scanner": "skandeerder",
    "The invitation expires in %(days)s days. If you did not expect it, ignore this email.":
        "Die uitnodiging verval oor %(days)s dae. As jy dit nie verwag het nie, ignoreer hierdie e-pos.",
    "Accept within %(days)s days:": "Aanvaar binne %(days)s dae:",
    "A webhook was switched off": "’n Webhook is afgeskakel",
    "%(url)s has not responded since %(day)s": "%(url)s reageer nie sedert %(day)s nie",
    "All of its deliveries have failed for a long time.": "Al sy aflewerings misluk al lank.",
    "We switched off a webhook because all of its deliveries have failed for a long time.":
        "Ons het ’n webhook afgeskakel omdat al sy aflewerings al lank misluk.",
    "While it is switched off, it receives nothing, and messages from that time are not sent later. Failed deliveries "
    "stay listed with the webhook for 30 days. Fix the receiver, switch the webhook on, then resend each delivery "
    "from that list.":
        "Terwyl dit afgeskakel is, ontvang dit niks, en boodskappe uit daardie tyd word nie later gestuur nie. "
        "Mislukte aflewerings bly 30 dae lank by die webhook gelys. Maak die ontvanger reg, skakel die webhook aan, "
        "en stuur dan elke aflewering weer van daardie lys af.",
}  # fmt: skip

# Why an order failed is stored as English text (checkout/orders/settle.py); this is what the buyer reads instead.
ENGLISH = {
    "the show is no longer on": "the event is no longer taking place",
    "the places were gone when the money came": "the tickets were no longer available when your payment arrived",
    "its promo code was used up when the money came": "its promo code was used up when your payment arrived",
}

TEXTS: Mapping[str, Callable[[str], str]] = {
    "en": lambda text: ENGLISH.get(text, text),
    "af": AFRIKAANS.__getitem__,
}
