// Signing in: by an emailed link, or by email address and password. A link's secret is in the fragment, which browsers
// never send: it leaves this page only in the one request below, when a person presses the button (mail scanners open
// links, but press no buttons).
"use strict";
(() => {
  const place = document.querySelector("[data-sign-in], [data-join]");
  const joining = "join" in place.dataset;
  const texts = place.dataset;
  const byLink = place.querySelector("[data-link]");
  const byPassword = place.querySelector("[data-password]");
  const status = place.querySelector("[role=status]");
  const token = location.hash.slice(1);
  const NEXT = "fullhouse:next";
  const BASKET = "fullhouse:basket"; // as in the box office: what a guest holds, and until when
  const WRONG = { invalid_credentials: texts.wrong, link_invalid: texts.spent, rate_limited: texts.often };

  /** On the join page `detail` says which of name and password is invalid, in English only. */
  function wrong(reply) {
    if (joining && reply.code === "invalid") return (document.documentElement.lang === "en" && reply.detail) || texts.form;
    return WRONG[reply.code] ?? refusal(reply);
  }

  function say(text, kind = "") {
    status.textContent = text;
    status.dataset.kind = kind;
  }

  function showError(field, text) {
    const input = place.querySelector(`[name=${field}]`);
    const hint = document.getElementById(`wrong-${field}`);
    if (!hint) return say(text, text ? "error" : "");
    hint.textContent = text;
    input.setAttribute("aria-invalid", String(!!text));
    if (text) input.focus();
  }

  /** The path as a URL of this origin, or null: a crafted link must not redirect elsewhere. It is parsed as the browser
   * will parse it, which drops tabs and line breaks and reads \ as /. */
  function own(path) {
    if (!path?.startsWith("/") || !URL.canParse(path, location.origin)) return null;
    const { origin, href } = new URL(path, location.origin);
    return origin === location.origin ? href : null;
  }

  const asked = new URLSearchParams(location.search);

  async function send(path, body) {
    say(texts.moment);
    let response;
    try {
      response = await fetch(path, { method: "POST", credentials: "same-origin", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    } catch {
      return void say(texts.offline, "error");
    }
    const text = await response.text();
    const reply = text ? JSON.parse(text) : {};
    if (response.ok) return reply.data ?? {};
    say(wrong(reply), "error");
    return undefined;
  }

  function enter({ user, organization }) {
    localStorage.setItem("fullhouse:who", JSON.stringify({ name: user.name, at: organization.slug }));
    localStorage.setItem(`fullhouse:${organization.slug}`, "1");
    sessionStorage.removeItem("fullhouse:who");
    say(texts.done.replace("{house}", organization.name).replace("{name}", user.name));
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
    for (const field of ["organization", "email", "password"]) if (document.getElementById(`wrong-${field}`)) showError(field, "");
    if (!organization.trim()) return showError("organization", texts.house);
    if (!/^\S+@\S+$/.test(email.trim())) return showError("email", texts.email);
    if (!link && !password) return showError("password", texts.password);
    void busy(byPassword, async () => {
      const who = { organization: organization.trim(), email: email.trim() };
      if (!link) {
        const signed = await send("/api/auth/login", { ...who, password });
        if (signed) enter(signed);
      } else if (await send("/api/auth/magic-link", who)) {
        if (own(asked.get("next"))) localStorage.setItem(NEXT, asked.get("next"));
        say(texts.sent.replace("{email}", who.email));
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
  else say(texts.linkHalf, "error");
})();
