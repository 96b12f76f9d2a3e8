// Progressive enhancement of every storefront page: the signed-in person's name, the language link, city suggestions,
// orders that open offline. Every page works without this script.
"use strict";
(() => {
  const WHO = "fullhouse:who";

  // --- refusals in the page's language. The API's `detail` is English; it serves for codes without a text of their own.

  const words = document.querySelector("[data-refusals]");
  globalThis.refusal = ({ code, detail }) => {
    const known = JSON.parse(words.textContent);
    return known[code] ?? ((document.documentElement.lang === "en" && detail) || known.other);
  };

  // --- who is signed in. The session is in an HttpOnly cookie; this is only the name, for the header.

  function who() {
    try {
      return JSON.parse(localStorage.getItem(WHO));
    } catch {
      return null;
    }
  }

  function name() {
    const link = document.querySelector("[data-who]");
    const person = who();
    if (!link || !person) return;
    link.textContent = person.name;
    link.setAttribute("aria-label", `${link.dataset.words} ${person.name}`);
    link.href = `/my${person.at ? `?at=${encodeURIComponent(person.at)}` : ""}#account`;
  }

  async function check() {
    if (!who() || sessionStorage.getItem(WHO)) return;
    const response = await fetch("/api/auth/sessions", { credentials: "same-origin" }).catch(() => null);
    if (!response?.ok) return;
    if ((await response.json()).data.length) return sessionStorage.setItem(WHO, "seen");
    localStorage.removeItem(WHO);
    location.reload();
  }

  // --- the same page in the other language, with its query

  for (const link of document.querySelectorAll("[data-lang]")) {
    const asked = new URLSearchParams(location.search);
    asked.set("lang", link.hreflang);
    link.href = `?${asked}`;
  }

  // --- city suggestions (a combobox as the ARIA practices describe it)

  function suggest(field) {
    const list = document.createElement("ul");
    const own = "own" in field.dataset ? [...(field.list?.options ?? [])].map((option) => option.value) : null;
    list.id = "city-suggestions";
    list.className = "suggestions";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", field.dataset.cities);
    list.hidden = true;
    field.removeAttribute("list"); // one list is enough
    for (const [key, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })) field.setAttribute(key, value);
    field.parentElement.append(list);
    let chosen = -1;
    let asked = 0;

    function show(cities) {
      list.replaceChildren(
        ...cities.map((city, n) => {
          const option = document.createElement("li");
          option.id = `city-${n}`;
          option.setAttribute("role", "option");
          option.dir = "auto";
          option.textContent = city;
          option.onmousedown = (event) => {
            event.preventDefault();
            take(city);
          };
          return option;
        }),
      );
      mark(-1);
      list.hidden = !cities.length;
      field.setAttribute("aria-expanded", String(!list.hidden));
    }

    function mark(n) {
      chosen = n;
      [...list.children].forEach((option, m) => option.setAttribute("aria-selected", String(m === n)));
      if (n < 0) field.removeAttribute("aria-activedescendant");
      else {
        field.setAttribute("aria-activedescendant", `city-${n}`);
        list.children[n].scrollIntoView({ block: "nearest" });
      }
    }

    function take(city) {
      field.value = city;
      show([]);
    }

    const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

    async function find() {
      const turn = ++asked;
      const typed = field.value.trim();
      if (own) return show(own.filter((city) => plain(city).includes(plain(typed))).slice(0, 10));
      const response = await fetch(`/event/v1/meta/cities?limit=10&q=${encodeURIComponent(typed)}`).catch(() => null);
      if (!response?.ok || turn !== asked) return;
      const { data } = await response.json();
      if (document.activeElement === field) show([...new Set(data.map((one) => one.city))]);
    }

    let soon = 0;
    field.addEventListener("input", () => {
      clearTimeout(soon);
      soon = setTimeout(find, 120);
    });
    field.addEventListener("focus", find);
    field.addEventListener("blur", () => show([]));
    field.addEventListener("keydown", (event) => {
      const count = list.children.length;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        if (!count) return void find();
        mark((chosen + (event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1) + count) % count);
      } else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen].textContent);
      else if (event.key === "Escape" && !list.hidden) show([]);
      else return;
      event.preventDefault();
    });
  }

  // --- an order's page, stored on the device (tickets-sw.js serves it offline)

  async function keep(page) {
    if (!("serviceWorker" in navigator) || !globalThis.caches) return;
    await navigator.serviceWorker.register("/tickets-sw.js", { scope: "/orders/" });
    const cache = await caches.open("fullhouse-tickets-1");
    const files = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
    await cache.addAll([...new Set([location.pathname, ...files.filter((path) => /^\/(static|built)\//.test(path))])]);
    for (const hint of page.querySelectorAll("[data-kept]")) hint.hidden = false;
  }

  // --- an order's tickets: emailed again, transferred, or accepted. The secret in the page's address authorises it.

  function order(page) {
    const status = page.querySelector("[data-wrong]");
    const secret = location.pathname.split("/").pop();

    async function ask(path, button, done, body) {
      button.disabled = true;
      const headers = { Authorization: `Bearer ${secret}`, ...(body ? { "content-type": "application/json" } : {}) };
      const response = await fetch(`/api/order/${path}`, { method: "POST", headers, body }).catch(() => null);
      const problem = response?.ok ? null : await response?.json().catch(() => null);
      button.disabled = false;
      status.dataset.kind = response?.ok ? "" : "error";
      status.textContent = response?.ok ? done : problem ? refusal(problem) : status.dataset.wrong;
      return response?.ok;
    }

    for (const button of page.querySelectorAll("[data-resend]")) {
      button.hidden = false;
      button.onclick = () => ask("resend", button, status.dataset.resent);
    }
    for (const button of page.querySelectorAll("[data-consent]")) {
      button.hidden = false;
      button.onclick = async () => {
        const both = button.parentElement;
        both.inert = true; // only one response counts
        if (await ask("consent", button, "", `{"accept":${button.dataset.consent}}`)) location.reload();
        else both.inert = false;
      };
    }
    for (const one of page.querySelectorAll("[data-pass-on]")) {
      const form = one.querySelector("form");
      one.hidden = false;
      form.onsubmit = async (event) => {
        event.preventDefault();
        const to = JSON.stringify(Object.fromEntries(new FormData(form)));
        if (await ask(`tickets/${one.dataset.passOn}/transfer`, form.querySelector("button"), "", to)) location.reload();
      };
    }
  }

  // --- a pending order: polled at growing intervals, and the page is reloaded when it is no longer pending

  function wait(pause) {
    setTimeout(async () => {
      const response = await fetch(location.href, { headers: { accept: "text/html" }, cache: "no-store" }).catch(() => null);
      const text = response?.ok ? await response.text() : "";
      if (text && !new DOMParser().parseFromString(text, "text/html").querySelector("[data-pending]")) location.reload();
      else wait(Math.min(pause * 1.5, 60_000));
    }, pause);
  }

  name();
  void check();
  for (const page of document.querySelectorAll(".order")) order(page);
  if (document.querySelector("[data-pending]")) wait(3000);
  for (const field of document.querySelectorAll("[data-cities]")) suggest(field);
  for (const page of document.querySelectorAll("[data-keep]")) keep(page).catch(() => {});
})();
