// Shows a letter that the console hands over. A frame cannot say which house it means, so it does not ask by itself; and
// it has an origin of its own, so that nothing in a letter reaches the console.
"use strict";
const sheet = document.documentElement;
addEventListener("message", (event) => {
  if (event.source === parent && typeof event.data === "string") sheet.innerHTML = event.data;
});
// On a phone the frame is as long as its letter. It has no origin to name; a length is no secret. A
// sheet that is opened by itself is its own parent, and hears its length.
new ResizeObserver(() => parent.postMessage(sheet.offsetHeight, "*")).observe(sheet);
