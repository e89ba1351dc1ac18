// A list that is sorted with dnd-kit, by pointer and by keys, as in its documentation.

import { closestCenter, DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import type { DragEndEvent } from "@dnd-kit/core";
import { arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable } from "@dnd-kit/sortable";
import { verticalListSortingStrategy } from "@dnd-kit/sortable";
import { type ReactNode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

function Item({ id }: { id: string }): ReactNode {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const moved = transform === null ? undefined : `translate3d(${transform.x}px, ${transform.y}px, 0)`;
  const style = { transform: moved, transition, padding: 8, margin: 4, border: "1px solid #999", touchAction: "none" };
  return (
    <div ref={setNodeRef} style={style} {...attributes} {...listeners}>
      {id}
    </div>
  );
}

function Tasks(): ReactNode {
  const [items, setItems] = useState(["Plan", "Write", "Test", "Review", "Ship"]);
  const keys = useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates });
  const sensors = useSensors(useSensor(PointerSensor), keys);
  useEffect(() => report("dnd-kit", items), [items]);
  const move = ({ active, over }: DragEndEvent): void => {
    if (over === null || active.id === over.id) return;
    setItems((now) => arrayMove(now, now.indexOf(String(active.id)), now.indexOf(String(over.id))));
  };
  return (
    <>
      <h1>Tasks</h1>
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={move}>
        <SortableContext items={items} strategy={verticalListSortingStrategy}>
          {items.map((id) => (
            <Item key={id} id={id} />
          ))}
        </SortableContext>
      </DndContext>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<Tasks />);
