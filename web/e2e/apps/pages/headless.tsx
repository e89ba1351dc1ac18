// A ticket made of Headless UI: a listbox, a combobox with search, a switch, a group of radio buttons, a disclosure.

import * as H from "@headlessui/react";
import { type ReactNode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

const PEOPLE = ["Durward Reynolds", "Kenton Towne", "Therese Wunsch", "Benedict Kessler", "Katelyn Rohan"];
const CITIES = ["Amsterdam", "Barcelona", "Lisbon", "London", "Ljubljana", "Paris"];
const PLANS = ["Startup", "Business", "Enterprise"];

function Ticket(): ReactNode {
  const [person, setPerson] = useState("Durward Reynolds");
  const [city, setCity] = useState<string | null>(null);
  const [query, setQuery] = useState("");
  const [urgent, setUrgent] = useState(false);
  const [plan, setPlan] = useState("Startup");
  const found = CITIES.filter((one) => one.toLowerCase().includes(query.toLowerCase()));
  useEffect(() => report("headless", { person, city, urgent, plan }), [person, city, urgent, plan]);
  return (
    <>
      <h1>Ticket</h1>
      <H.Field>
        <H.Label>Assignee</H.Label>
        <H.Listbox value={person} onChange={setPerson}>
          <H.ListboxButton>{person}</H.ListboxButton>
          <H.ListboxOptions anchor="bottom" style={{ background: "#fff", border: "1px solid #999" }}>
            {PEOPLE.map((one) => (
              <H.ListboxOption key={one} value={one}>
                {one}
              </H.ListboxOption>
            ))}
          </H.ListboxOptions>
        </H.Listbox>
      </H.Field>
      <H.Field>
        <H.Label>City</H.Label>
        <H.Combobox value={city} onChange={setCity} onClose={() => setQuery("")}>
          <H.ComboboxInput onChange={(event) => setQuery(event.target.value)} />
          <H.ComboboxOptions anchor="bottom" style={{ background: "#fff", border: "1px solid #999" }}>
            {found.map((one) => (
              <H.ComboboxOption key={one} value={one}>
                {one}
              </H.ComboboxOption>
            ))}
          </H.ComboboxOptions>
        </H.Combobox>
      </H.Field>
      <H.Field>
        <H.Label>Urgent</H.Label>
        <H.Switch
          checked={urgent}
          onChange={setUrgent}
          style={{ width: 44, height: 24, background: urgent ? "#2a7" : "#999", border: 0 }}
        />
      </H.Field>
      <H.RadioGroup value={plan} onChange={setPlan} aria-label="Plan">
        {PLANS.map((one) => (
          <H.Field key={one}>
            <H.Radio value={one} style={{ display: "inline-block", width: 16, height: 16, border: "1px solid" }} />
            <H.Label>{one}</H.Label>
          </H.Field>
        ))}
      </H.RadioGroup>
      <H.Disclosure>
        <H.DisclosureButton>What is a ticket?</H.DisclosureButton>
        <H.DisclosurePanel>One question, one answer.</H.DisclosurePanel>
      </H.Disclosure>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Ticket />);
