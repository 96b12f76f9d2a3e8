// Signing in: by a mailed link, or by address and password. A link's secret is in the address's fragment, which browsers
// never send: it leaves this page only in the one request below, when a person presses the button (mail scanners open
// links, but press nothing).
"use strict";
(() => {
  const place = document.querySelector("[data-sign-in], [data-join]");
  const joining = "join" in place.dataset;
  const said = place.dataset;
  const byLink = place.querySelector("[data-link]");
  const byPassword = place.querySelector("[data-password]");
  const status = place.querySelector("[role=status]");
  const token = location.hash.slice(1);
  const NEXT = "fullhouse:next";
  const BASKET = "fullhouse:basket"; // as in the box office: what a guest holds, and until when
  const WRONG = { invalid_credentials: said.wrong, link_invalid: said.spent, rate_limited: said.often };

  /** Who joins fills in a name and a password: the house says which of them is wrong, in English. */
  function wrong(told) {
    if (joining && told.code === "invalid") return (document.documentElement.lang === "en" && told.detail) || said.form;
    return WRONG[told.code] ?? refusal(told);
  }

  function say(text, kind = "") {
    status.textContent = text;
    status.dataset.kind = kind;
  }

  function beside(field, text) {
    const input = place.querySelector(`[name=${field}]`);
    const hint = document.getElementById(`wrong-${field}`);
    if (!hint) return say(text, text ? "error" : "");
    hint.textContent = text;
    input.setAttribute("aria-invalid", String(!!text));
    if (text) input.focus();
  }

  /** An address of ours, or none: whoever makes a link must not choose where people land. It is read as the browser will
   * read it, which overlooks tabs and line breaks and takes \ for /. */
  function own(path) {
    if (!path?.startsWith("/") || !URL.canParse(path, location.origin)) return null;
    const { origin, href } = new URL(path, location.origin);
    return origin === location.origin ? href : null;
  }

  const asked = new URLSearchParams(location.search);

  async function send(path, body) {
    say(said.moment);
    let answer;
    try {
      answer = await fetch(path, { method: "POST", credentials: "same-origin", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    } catch {
      return void say(said.offline, "error");
    }
    const text = await answer.text();
    const told = text ? JSON.parse(text) : {};
    if (answer.ok) return told.data ?? {};
    say(wrong(told), "error");
    return undefined;
  }

  function enter({ user, organization }) {
    localStorage.setItem("fullhouse:who", JSON.stringify({ name: user.name, at: organization.slug }));
    localStorage.setItem(`fullhouse:${organization.slug}`, "1");
    sessionStorage.removeItem("fullhouse:who");
    say(said.done.replace("{house}", organization.name).replace("{name}", user.name));
    const home = user.role === "customer" ? `/my?at=${encodeURIComponent(organization.slug)}` : "/console";
    const next = own(asked.get("next")) ?? own(localStorage.getItem(NEXT)) ?? home;
    localStorage.removeItem(NEXT);
    location.replace(next);
  }

  async function busy(form, work) {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
    await work();
    for (const button of form.querySelectorAll("button")) button.disabled = false;
  }

  byLink.addEventListener("submit", (event) => {
    event.preventDefault();
    void busy(byLink, async () => {
      const path = joining ? "/api/auth/invitation/accept" : "/api/auth/magic-link/redeem";
      const signed = await send(path, { token, ...Object.fromEntries(new FormData(byLink)) });
      if (signed) {
        history.replaceState(null, "", location.pathname);
        enter(signed);
      } else if (byPassword) byPassword.hidden = false;
    });
  });

  byPassword?.addEventListener("submit", (event) => {
    event.preventDefault();
    const link = event.submitter?.value === "link";
    const { organization = "", email = "", password = "" } = Object.fromEntries(new FormData(byPassword));
    for (const field of ["organization", "email", "password"]) if (document.getElementById(`wrong-${field}`)) beside(field, "");
    if (!organization.trim()) return beside("organization", said.house);
    if (!/^\S+@\S+$/.test(email.trim())) return beside("email", said.email);
    if (!link && !password) return beside("password", said.password);
    void busy(byPassword, async () => {
      const who = { organization: organization.trim(), email: email.trim() };
      if (!link) {
        const signed = await send("/api/auth/login", { ...who, password });
        if (signed) enter(signed);
      } else if (await send("/api/auth/magic-link", who)) {
        if (own(asked.get("next"))) localStorage.setItem(NEXT, asked.get("next"));
        say(said.sent.replace("{email}", who.email));
      }
    });
  });

  function holds() {
    try {
      const { until } = JSON.parse(localStorage.getItem(BASKET));
      return until === null || until > Date.now();
    } catch {
      return false;
    }
  }

  const basket = place.querySelector("[data-basket]");
  if (basket) basket.hidden = !holds();
  if (token) byLink.hidden = false;
  else if (byPassword) byPassword.hidden = false;
  else say(said.linkHalf, "error");
})();
