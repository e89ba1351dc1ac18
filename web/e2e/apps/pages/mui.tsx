// An invoice made of MUI: text fields, a select, an autocomplete, a slider, a rating, a switch, and a message at the
// end.

import * as M from "@mui/material";
import { type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

const COUNTRIES = ["Austria", "Belgium", "Denmark", "Finland", "France", "Germany", "Iceland", "Italy", "Norway"];

function Invoice(): ReactNode {
  const [client, setClient] = useState("");
  const [currency, setCurrency] = useState("EUR");
  const [country, setCountry] = useState<string | null>(null);
  const [discount, setDiscount] = useState(10);
  const [stars, setStars] = useState<number | null>(2);
  const [paid, setPaid] = useState(false);
  const [sent, setSent] = useState(false);
  const send = (): void => {
    report("mui", { client, currency, country, discount, stars, paid });
    setSent(true);
  };
  return (
    <M.Stack spacing={2} sx={{ maxWidth: 420 }}>
      <h1>Invoice</h1>
      <M.TextField label="Client" value={client} onChange={(event) => setClient(event.target.value)} />
      <M.FormControl>
        <M.InputLabel id="currency">Currency</M.InputLabel>
        <M.Select
          labelId="currency"
          label="Currency"
          value={currency}
          onChange={(event) => setCurrency(event.target.value)}
        >
          {["EUR", "USD", "JPY"].map((one) => (
            <M.MenuItem key={one} value={one}>
              {one}
            </M.MenuItem>
          ))}
        </M.Select>
      </M.FormControl>
      <M.Autocomplete
        options={COUNTRIES}
        value={country}
        onChange={(_, one) => setCountry(one)}
        renderInput={(params) => <M.TextField {...params} label="Country" />}
      />
      <M.Slider aria-label="Discount" step={5} value={discount} onChange={(_, one) => setDiscount(one as number)} />
      <M.Rating name="stars" value={stars} onChange={(_, one) => setStars(one)} />
      <M.FormControlLabel
        control={<M.Switch checked={paid} onChange={(event) => setPaid(event.target.checked)} />}
        label="Paid"
      />
      <M.Button variant="contained" onClick={send}>
        Send invoice
      </M.Button>
      <M.Snackbar open={sent} message="Invoice sent" onClose={() => setSent(false)} />
    </M.Stack>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Invoice />);
