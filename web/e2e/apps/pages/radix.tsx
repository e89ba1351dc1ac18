// Settings of a team made of Radix primitives, unstyled but for what makes them visible.

import { Dialog, DropdownMenu, Select, Slider, Switch, Tabs } from "radix-ui";
import { useEffect, useState, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";
import "./radix.css";

const ROLES = ["Viewer", "Editor", "Owner"];

function Rename({ name, onSave }: { name: string; onSave: (name: string) => void }): ReactNode {
  const [draft, setDraft] = useState(name);
  return (
    <Dialog.Root>
      <Dialog.Trigger>Edit profile</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="dialog">
          <Dialog.Title>Edit profile</Dialog.Title>
          <Dialog.Description>Everyone in the team sees this name.</Dialog.Description>
          <label>
            Name <input value={draft} onChange={(event) => setDraft(event.target.value)} />
          </label>
          <Dialog.Close onClick={() => onSave(draft)}>Save changes</Dialog.Close>
          <Dialog.Close aria-label="Close">×</Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Settings(): ReactNode {
  const [name, setName] = useState("Pedro Duarte");
  const [role, setRole] = useState("Viewer");
  const [alerts, setAlerts] = useState(false);
  const [volume, setVolume] = useState([30]);
  const [chosen, setChosen] = useState("none");
  useEffect(
    () => report("radix", { name, role, alerts, volume: volume[0], chosen }),
    [name, role, alerts, volume, chosen],
  );
  return (
    <>
      <h1>Team settings</h1>
      <p>Signed in as {name}</p>
      <Rename name={name} onSave={setName} />
      <Tabs.Root defaultValue="access">
        <Tabs.List aria-label="Sections" className="row">
          <Tabs.Trigger value="access">Access</Tabs.Trigger>
          <Tabs.Trigger value="sound">Sound</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="access">
          <p>Who may do what in this team.</p>
          <Select.Root value={role} onValueChange={setRole}>
            <Select.Trigger aria-label="Role" className="select">
              <Select.Value />
              <Select.Icon />
            </Select.Trigger>
            <Select.Portal>
              <Select.Content className="menu">
                <Select.Viewport>
                  {ROLES.map((one) => (
                    <Select.Item key={one} value={one} className="item">
                      <Select.ItemText>{one}</Select.ItemText>
                    </Select.Item>
                  ))}
                </Select.Viewport>
              </Select.Content>
            </Select.Portal>
          </Select.Root>
          <DropdownMenu.Root>
            <DropdownMenu.Trigger>Actions</DropdownMenu.Trigger>
            <DropdownMenu.Portal>
              <DropdownMenu.Content className="menu">
                {["Duplicate", "Archive", "Delete"].map((one) => (
                  <DropdownMenu.Item key={one} className="item" onSelect={() => setChosen(one)}>
                    {one}
                  </DropdownMenu.Item>
                ))}
              </DropdownMenu.Content>
            </DropdownMenu.Portal>
          </DropdownMenu.Root>
        </Tabs.Content>
        <Tabs.Content value="sound">
          <label htmlFor="alerts">Sound alerts</label>
          <Switch.Root id="alerts" checked={alerts} onCheckedChange={setAlerts} className="switch">
            <Switch.Thumb className="thumb" />
          </Switch.Root>
          <Slider.Root value={volume} onValueChange={setVolume} max={100} step={10} className="slider">
            <Slider.Track className="track">
              <Slider.Range className="range" />
            </Slider.Track>
            <Slider.Thumb aria-label="Volume" className="knob" />
          </Slider.Root>
        </Tabs.Content>
      </Tabs.Root>
      <p>Last action: {chosen}</p>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Settings />);
