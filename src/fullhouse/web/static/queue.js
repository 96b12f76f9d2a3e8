// The waiting room. Asks as often as it is told to, and says what it hears. The place is in the house's books: this page
// may be closed, reloaded, or opened twice.
"use strict";
(() => {
  const { event, organization, house, back } = document.body.dataset;
  const path = `/api/events/${event}/queue`;
  const kept = `fullhouse:queue:${event}`;
  const $ = (id) => document.getElementById(id);
  const words = JSON.parse($("words").textContent);
  const { lang } = document.documentElement;
  const said = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
  let token = localStorage.getItem(kept);
  let first = null;
  let timer = 0;
  let wait = 0;
  let heard = 0;

  async function call(method, headers = {}, address = path, body) {
    const answer = await fetch(address, {
      method, credentials: "same-origin", body,
      headers: { "x-organization": house, ...(body ? { "content-type": "application/json" } : {}), ...headers },
    });
    const said = answer.status === 204 ? {} : await answer.json();
    if (!answer.ok) throw Object.assign(new Error(said.detail), { status: answer.status, code: said.code, said });
    return said.data;
  }

  async function join() {
    try {
      show(await call("POST"));
    } catch (error) {
      if (error.status !== 401) return refused(error);
      await call("POST", {}, "/api/auth/guest", JSON.stringify({ organization }));
      localStorage.setItem(`fullhouse:${organization}`, "1");
      show(await call("POST"));
    }
  }

  async function poll() {
    try {
      show(await call("GET", { "x-queue-token": token }));
    } catch (error) {
      if (error.status === 403 || error.status === 404) return join().catch(refused);
      if (error.status) return refused(error);
      $("hint").textContent = said("offline");
      again(5);
    }
  }

  function again(seconds) {
    clearTimeout(timer);
    timer = setTimeout(poll, seconds * 1000 * (0.9 + Math.random() * 0.2));
  }

  function show(place) {
    if (place.token) localStorage.setItem(kept, (token = place.token));
    heard = Date.now();
    const waiting = place.status === "waiting";
    const early = waiting && place.room === "pre";
    $("word").textContent = said(early ? "early" : waiting ? (place.room === "paused" ? "paused" : "waiting") : place.status);
    $("number").hidden = !waiting || place.position === null;
    $("number").textContent = place.position === null ? "" : place.position.toLocaleString(lang);
    $("facts").hidden = !waiting || early;
    $("way").hidden = !waiting || early || place.position === null;
    if (waiting && place.position !== null) {
      first = Math.max(first ?? place.position, place.position);
      $("way").firstElementChild.style.width = `${Math.round((100 * (first - place.position + 1)) / (first + 1))}%`;
      $("ahead").textContent = place.ahead.toLocaleString(lang);
      $("eta").textContent = span(place.eta_low_s, place.eta_high_s);
    }
    const expires = place.expires_at_unix_ms ? place.expires_at_unix_ms - place.server_time_unix_ms : null;
    $("hint").textContent = early
      ? (place.opens_at ? said("opens_at", { time: new Date(place.opens_at).toLocaleTimeString(lang === "en" ? "en-GB" : lang, { hour: "2-digit", minute: "2-digit" }) }) : said("opens_soon"))
      : place.status === "admitted" ? said("begin", { time: minutes(expires) })
      : place.status === "expired" ? said("expired_more")
      : place.status === "sold_out" ? said("sold_out_more")
      : "";
    $("enter").hidden = !["admitted", "sold_out", "done"].includes(place.status);
    $("enter").textContent = said(place.status === "admitted" ? "choose" : "back");
    $("leave").hidden = !waiting;
    $("rejoin").hidden = !["expired", "left"].includes(place.status);
    $("fair").hidden = !place.seed_hash;
    document.title = `${waiting && place.position ? `(${place.position}) ` : place.status === "admitted" ? `${said("turn")} · ` : ""}${said("room")}`;
    if (place.status === "admitted" && !sessionStorage.getItem(kept)) {
      sessionStorage.setItem(kept, "1");
      location.assign(back);
    }
    if (waiting || place.status === "admitted") again(place.next_poll_s);
  }

  function refused(error) {
    $("word").textContent = said(error.code === "queue_cooldown" ? "left_before" : error.code === "sold_out" ? "sold_out" : "not_now");
    $("hint").textContent = error.message || said("wrong");
    for (const id of ["number", "facts", "way", "leave"]) $(id).hidden = true;
    $("rejoin").hidden = error.code === "sold_out";
    $("enter").hidden = false;
    $("enter").textContent = said("back");
    wait = error.said?.wait_s ? Date.now() + error.said.wait_s * 1000 : 0;
    tick();
  }

  function span(low, high) {
    if (low === null || low === undefined) return said("unknown");
    const [a, b] = [Math.ceil(low / 60), Math.ceil(high / 60)];
    return b <= 1 ? said("a_minute") : a === b ? said("about", { n: b }) : said("between", { a, b });
  }

  const minutes = (ms) => (ms === null ? said("few") : ms < 90e3 ? said("seconds", { n: Math.max(0, Math.round(ms / 1000)) }) : said("minutes", { n: Math.round(ms / 60e3) }));

  function tick() {
    if (heard) $("updated").textContent = said("ago", { n: Math.max(0, Math.round((Date.now() - heard) / 1000)) });
    const left = wait - Date.now();
    $("rejoin").disabled = left > 0;
    $("rejoin").textContent = left > 0 ? said("again", { time: minutes(left) }) : said("join");
  }

  $("leave").onclick = () => $("sure").showModal();
  $("sure").onclose = async () => {
    if ($("sure").returnValue !== "leave") return;
    clearTimeout(timer);
    await call("DELETE").catch(() => {});
    localStorage.removeItem(kept);
    join().catch(refused);
  };
  $("rejoin").onclick = () => join().catch(refused);
  setInterval(tick, 1000);
  (token ? poll() : join()).catch(refused);
})();
