// Shows a letter that the console hands over. A frame cannot say which house it means, so it does not ask by itself; and
// it has an origin of its own, so that nothing in a letter reaches the console.
"use strict";
addEventListener("message", (event) => {
  if (event.source === parent) document.documentElement.innerHTML = event.data;
});
