// A person's entry on a waitlist. The secret is in the fragment, which browsers never send: it leaves this page only in
// the requests below. An offer is accepted only when a person presses a button.
const section = document.querySelector("[data-waiting-list]");
const status = section.querySelector("[role=status]");
const offered = section.querySelector(".offered");
const form = section.querySelector("form");
const [take, leave] = form.querySelectorAll("button");
const link = section.querySelector(".show");
const secret = location.hash.slice(1);
let entry = null;

function say(text, kind = "") {
  status.textContent = text;
  status.dataset.kind = kind;
}

async function ask(path, method = "GET") {
  const response = await fetch(path, { method, headers: { Authorization: `Bearer ${secret}` } });
  const body = response.status === 204 ? null : await response.json();
  if (!response.ok) throw Object.assign(new Error(refusal(body)), { code: body.code });
  return body && body.data;
}

const textOf = (key, values = {}) => section.dataset[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const places = (n) => (n === 1 ? textOf("one") : textOf("some", { n }));
const { lang } = document.documentElement;
// In the event's time zone, with its name: the reader may be elsewhere.
const when = (moment) => `${new Date(moment).toLocaleString(lang === "en" ? "en-GB" : lang, { dateStyle: "full", timeStyle: "short", timeZone: entry.timezone })} (${entry.timezone.replaceAll("_", " ")})`;
const WORDS = {
  waiting: () => textOf("waiting", { places: places(entry.party), position: entry.position, email: entry.email }),
  offered: () => textOf("offered", { places: places(entry.offer.reduce((sum, hold) => sum + hold.quantity, 0)), when: when(entry.answer_by) }),
  taken: () => textOf("taken"),
  lapsed: () => textOf("lapsed"),
  left: () => textOf("left"),
};

function show() {
  say(WORDS[entry.status]());
  offered.replaceChildren(
    ...entry.offer.map((hold) => {
      const line = document.createElement("li");
      line.textContent = hold.row === null ? `${hold.quantity} × ${hold.zone_name}` : textOf("seat", { zone: hold.zone_name, row: hold.row, seat: hold.seat_number });
      return line;
    }),
  );
  offered.hidden = entry.offer.length === 0;
  take.hidden = entry.status !== "offered";
  form.hidden = !["waiting", "offered"].includes(entry.status);
  link.hidden = !entry.show_path;
  link.querySelector("a").href = entry.show_path || "/";
}

async function attempt(work) {
  take.disabled = leave.disabled = true;
  try {
    await work();
  } catch (error) {
    say(error.code ? error.message : textOf("offline"), "error");
  }
  take.disabled = leave.disabled = false;
}

async function load() {
  entry = await ask("/api/waitlist");
  show();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    try {
      await ask("/api/waitlist/session", "POST");
    } catch (error) {
      if (error.code !== "sign_in_needed") throw error; // a person with an account is signed in here already, or will be asked to sign in
    }
    localStorage.setItem(`fullhouse:${entry.show_path.split("/")[2]}`, "1"); // the event’s page then loads the holds
    location.assign(entry.show_path);
  });
});
leave.addEventListener("click", () =>
  attempt(async () => {
    await ask("/api/waitlist", "DELETE");
    await load();
  }),
);

if (secret) attempt(load);
else say(textOf("half"), "error");
