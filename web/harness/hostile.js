// A page that replaces built-in functions by ones that throw or return wrong results.

{
  const broken = () => { throw new Error("hostile"); };
  for (const name of ["map", "filter", "flatMap", "find", "some", "join", "slice", "push", "includes"])
    Array.prototype[name] = broken;
  Document.prototype.querySelectorAll = Document.prototype.querySelector = () => [];
  Element.prototype.querySelectorAll = Element.prototype.matches = Element.prototype.closest = broken;
  Element.prototype.getBoundingClientRect = () => ({ left: 0, top: 0, width: 0, height: 0 });
  Element.prototype.getClientRects = () => [];
  JSON.stringify = () => '"hostile"';
  JSON.parse = broken;
  for (const name of ["then", "catch", "finally"]) Promise.prototype[name] = broken;
  globalThis.Promise = globalThis.MutationObserver = class { constructor() { broken(); } };
  globalThis.getComputedStyle = () => ({ display: "none", visibility: "hidden" });
  globalThis.requestAnimationFrame = globalThis.setTimeout = globalThis.queueMicrotask = () => 0;
  Map.prototype.get = Map.prototype.set = WeakMap.prototype.get = Set.prototype.add = broken;
  EventTarget.prototype.dispatchEvent = broken;
  Object.entries = Object.fromEntries = Object.assign = broken;
  String.prototype.startsWith = String.prototype.replace = RegExp.prototype.test = broken;
}
