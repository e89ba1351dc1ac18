// A grid of AG Grid that is edited, sorted and filtered; its rows are virtual.

import { AllCommunityModule, type ColDef, ModuleRegistry } from "ag-grid-community";
import { AgGridReact } from "ag-grid-react";
import { type ReactNode, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

interface Car {
  make: string;
  model: string;
  price: number;
}

ModuleRegistry.registerModules([AllCommunityModule]);
const MAKES = ["Toyota", "Ford", "Porsche", "Volvo", "Fiat"];
const CARS: Car[] = Array.from({ length: 100 }, (_, at) => ({
  make: MAKES[at % MAKES.length] as string,
  model: `Model ${at + 1}`,
  price: 20_000 + ((at * 7919) % 500) * 100,
}));
const COLUMNS: ColDef<Car>[] = [
  { field: "make", filter: true, floatingFilter: true },
  { field: "model" },
  { field: "price", editable: true, cellDataType: "number" },
];

function Fleet(): ReactNode {
  const [rows] = useState(CARS);
  const grid = useRef<AgGridReact<Car>>(null);
  const tell = (): void => {
    const api = grid.current?.api;
    if (api === undefined) return;
    const selected = api.getSelectedRows().map(({ model }) => model);
    const prices = Object.fromEntries(
      rows.filter(({ price }) => price % 100 !== 0).map((car) => [car.model, car.price]),
    );
    const sorted = api.getColumnState().find(({ colId }) => colId === "price")?.sort ?? null;
    report("ag-grid", { shown: api.getDisplayedRowCount(), selected, prices, sorted });
  };
  return (
    <>
      <h1>Fleet</h1>
      <div style={{ height: 480 }}>
        <AgGridReact<Car>
          ref={grid}
          rowData={rows}
          columnDefs={COLUMNS}
          rowSelection={{ mode: "multiRow" }}
          onSelectionChanged={tell}
          onCellValueChanged={tell}
          onSortChanged={tell}
          onFilterChanged={tell}
        />
      </div>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Fleet />);
