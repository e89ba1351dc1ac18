// FullCalendar in a month that stands still: dates are clicked, events are dragged, views are changed.

import { Calendar } from "@fullcalendar/core";
import dayGrid from "@fullcalendar/daygrid";
import interaction from "@fullcalendar/interaction";
import { report } from "./store";

const root = document.getElementById("root") as HTMLElement;
root.innerHTML = "<h1>Calendar</h1><div id='calendar'></div>";
const calendar = new Calendar(document.getElementById("calendar") as HTMLElement, {
  plugins: [dayGrid, interaction],
  initialDate: "2026-03-10",
  headerToolbar: { left: "prev,next today", center: "title", right: "dayGridMonth,dayGridWeek" },
  height: 640,
  editable: true,
  events: [
    { id: "1", title: "Stand-up", start: "2026-03-10" },
    { id: "2", title: "Release", start: "2026-04-16" },
  ],
  eventDrop: tell,
  datesSet: tell,
  dateClick: ({ dateStr }) => {
    calendar.addEvent({ id: dateStr, title: `Hold ${dateStr.slice(5)}`, start: dateStr });
    tell();
  },
});
calendar.render();

function tell(): void {
  const events = Object.fromEntries(calendar.getEvents().map(({ title, startStr }) => [title, startStr]));
  report("fullcalendar", { view: calendar.view.type, month: calendar.getDate().getMonth() + 1, events });
}
