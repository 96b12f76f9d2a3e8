// Follows a link from a mail. The secret is in the address's fragment, which browsers never send: it leaves this page
// only in the one request below, when a person presses the button (mail scanners open links, but press nothing).
const section = document.querySelector("[data-purpose]");
const form = section.querySelector("form");
const status = section.querySelector("[role=status]");
const token = location.hash.slice(1);
const address = { "sign-in": "/api/auth/magic-link/redeem", join: "/api/auth/invitation/accept" }[section.dataset.purpose];

function say(text, kind = "") {
  status.textContent = text;
  status.dataset.kind = kind;
}

if (token) form.hidden = false;
else say("This address is only half a link. Open the one in your mail.", "error");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  say("One moment…");
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token, ...Object.fromEntries(new FormData(form)) }),
    });
    const body = await answer.json();
    if (answer.ok) {
      history.replaceState(null, "", location.pathname);
      form.hidden = true;
      say(`You are signed in to ${body.data.organization.name} as ${body.data.user.name}.`);
    } else {
      say(body.detail, "error");
    }
  } catch {
    say("The server does not answer. Try again in a moment.", "error");
  }
  button.disabled = false;
});
