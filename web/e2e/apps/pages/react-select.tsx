// An order form with react-select: one choice, several choices with search, and choices that a person makes up.

import { useEffect, useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import Select from "react-select";
import CreatableSelect from "react-select/creatable";
import { report } from "./store";

interface Option {
  readonly value: string;
  readonly label: string;
}

const options = (...labels: string[]): Option[] => labels.map((label) => ({ value: label.toLowerCase(), label }));
const COLOURS = options("Ocean", "Blue", "Purple", "Red", "Orange", "Yellow", "Green", "Forest", "Slate", "Silver");
const FLAVOURS = options("Vanilla", "Chocolate", "Strawberry", "Salted caramel");

function Order(): ReactNode {
  const [colour, setColour] = useState<Option | null>(null);
  const [flavours, setFlavours] = useState<readonly Option[]>(FLAVOURS.slice(0, 1));
  const [tags, setTags] = useState<readonly Option[]>([]);
  useEffect(() => {
    const values = (list: readonly Option[]): string[] => list.map(({ value }) => value);
    report("react-select", { colour: colour?.value ?? null, flavours: values(flavours), tags: values(tags) });
  }, [colour, flavours, tags]);
  return (
    <>
      <h1>Order</h1>
      <label htmlFor="colour">Colour</label>
      <Select inputId="colour" options={COLOURS} value={colour} onChange={setColour} />
      <label htmlFor="flavours">Flavours</label>
      <Select inputId="flavours" isMulti options={FLAVOURS} value={flavours} onChange={setFlavours} />
      <label htmlFor="tags">Tags</label>
      <CreatableSelect inputId="tags" isMulti value={tags} onChange={setTags} />
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Order />);
