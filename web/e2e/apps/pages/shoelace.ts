// A booking made of Shoelace's web components; its form reports its values when it is submitted.

import "@shoelace-style/shoelace/dist/themes/light.css";
import "@shoelace-style/shoelace/dist/shoelace.js";
import { report } from "./store";

const root = document.getElementById("root") as HTMLElement;
root.innerHTML = `
  <h1>Booking</h1>
  <sl-button id="new" variant="primary">New booking</sl-button>
  <p id="status">No booking yet</p>
  <sl-dialog label="New booking">
    <form>
      <sl-input name="guest" label="Guest" required></sl-input>
      <sl-select name="room" label="Room" placeholder="Choose a room">
        <sl-option value="single">Single</sl-option>
        <sl-option value="double">Double</sl-option>
        <sl-option value="suite">Suite</sl-option>
      </sl-select>
      <sl-checkbox name="breakfast" value="yes">Breakfast</sl-checkbox>
      <sl-switch name="late" value="yes">Late arrival</sl-switch>
      <sl-range name="nights" label="Nights" min="1" max="14" value="1"></sl-range>
      <sl-button type="submit" variant="success">Book</sl-button>
    </form>
  </sl-dialog>`;
const dialog = root.querySelector("sl-dialog") as HTMLElement & { show(): Promise<void>; hide(): Promise<void> };
const form = root.querySelector("form") as HTMLFormElement;
root.querySelector("#new")?.addEventListener("click", () => void dialog.show());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const booking = Object.fromEntries(new FormData(form));
  report("shoelace", booking);
  (root.querySelector("#status") as HTMLElement).textContent = `Booked for ${String(booking.guest)}`;
  void dialog.hide();
});
