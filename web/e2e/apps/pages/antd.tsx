// An order form made of Ant Design: its form with validation, a select, a date picker, radio buttons, a number, a
// confirmation.

import * as A from "antd";
import { type ReactNode, useState } from "react";
import { createRoot } from "react-dom/client";
import { report } from "./store";

const SIZES = ["Small", "Medium", "Large"].map((label) => ({ label, value: label.toLowerCase() }));
const FRUITS = ["Apple", "Banana", "Cherry", "Damson", "Elderberry"].map((label) => ({ label, value: label }));

function OrderForm(): ReactNode {
  const [draft, setDraft] = useState<Record<string, unknown>>();
  const send = (): void => {
    report("antd", draft);
    setDraft(undefined);
  };
  const finish = ({ date, ...rest }: Record<string, unknown>): void =>
    setDraft({ ...rest, date: (date as { format(how: string): string }).format("YYYY-MM-DD") });
  return (
    <>
      <h1>Order form</h1>
      <A.Form layout="vertical" onFinish={finish} style={{ maxWidth: 420 }} initialValues={{ count: 1, size: "small" }}>
        <A.Form.Item name="name" label="Name" rules={[{ required: true }]}>
          <A.Input />
        </A.Form.Item>
        <A.Form.Item name="fruit" label="Fruit" rules={[{ required: true }]}>
          <A.Select options={FRUITS} placeholder="Choose a fruit" />
        </A.Form.Item>
        <A.Form.Item name="date" label="Delivery" rules={[{ required: true }]}>
          <A.DatePicker />
        </A.Form.Item>
        <A.Form.Item name="size" label="Size">
          <A.Radio.Group options={SIZES} />
        </A.Form.Item>
        <A.Form.Item name="count" label="Count">
          <A.InputNumber min={1} max={99} />
        </A.Form.Item>
        <A.Button type="primary" htmlType="submit">
          Order
        </A.Button>
      </A.Form>
      <A.Modal title="Send this order?" open={draft !== undefined} onOk={send} onCancel={() => setDraft(undefined)}>
        <p>It cannot be changed later.</p>
      </A.Modal>
    </>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(<OrderForm />);
