// A form as in React applications: every field is controlled, errors show on blur, and submitting sends a request.

import { useState, type FormEvent } from "react";
import { createRoot } from "react-dom/client";

const PLANS = ["Free", "Team", "Company"];

function Form() {
  const [name, setName] = useState("");
  const [mail, setMail] = useState("");
  const [plan, setPlan] = useState("Free");
  const [size, setSize] = useState("small");
  const [terms, setTerms] = useState(false);
  const [notes, setNotes] = useState("");
  const [touched, setTouched] = useState(false);
  const [sent, setSent] = useState<string>();
  const [keys, setKeys] = useState(0);
  const wrong = touched && !mail.includes("@");
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const response = await fetch(name === "Mallory" ? "/refused" : "/accepted", {
      method: "POST",
      body: JSON.stringify({ name, mail, plan, size, terms, notes }),
    });
    if (response.ok) setSent(`Welcome, ${name}! ${plan}, ${size}, ${notes}`);
    else console.error(`the server said ${String(response.status)}`);
  };
  if (sent !== undefined) return <p role="status">{sent}</p>;
  return (
    <form onSubmit={(event) => void send(event)}>
      <h1>Join</h1>
      <label>
        Name{" "}
        <input
          value={name}
          onChange={({ target }) => setName(target.value)}
          onKeyDown={() => setKeys((count) => count + 1)}
        />
      </label>
      <label>
        Email{" "}
        <input
          type="email"
          value={mail}
          onChange={({ target }) => setMail(target.value)}
          onBlur={() => setTouched(true)}
          aria-invalid={wrong}
          aria-describedby="wrong"
        />
      </label>
      {wrong && <p id="wrong">That is no address.</p>}
      <label>
        Plan{" "}
        <select value={plan} onChange={({ target }) => setPlan(target.value)}>
          {PLANS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {["small", "large"].map((one) => (
        <label key={one}>
          <input type="radio" name="size" checked={size === one} onChange={() => setSize(one)} /> {one}
        </label>
      ))}
      <label>
        Notes <textarea value={notes} onChange={({ target }) => setNotes(target.value)} />
      </label>
      <label>
        <input type="checkbox" checked={terms} onChange={({ target }) => setTerms(target.checked)} /> I accept
      </label>
      <button disabled={!terms || name === ""}>Send</button>
      <output>{keys} keys</output>
    </form>
  );
}

const root = document.querySelector("#root");
if (root !== null) createRoot(root).render(<Form />);
