// A list of ten thousand rows as in Vue applications: only the rows in view exist, and their elements are reused.

import { computed, createApp, h, ref } from "vue";

const ROW_PX = 30;
const VIEW_PX = 300;
const people = Array.from({ length: 10_000 }, (_, at) => `Person ${String(at)}`);

createApp({
  setup() {
    const top = ref(0);
    const filter = ref("");
    const chosen = ref("nobody");
    const matching = computed(() => people.filter((name) => name.includes(filter.value)));
    const first = computed(() => Math.floor(top.value / ROW_PX));
    const rows = computed(() => matching.value.slice(first.value, first.value + VIEW_PX / ROW_PX + 1));
    return () => [
      h("label", [
        "Filter ",
        h("input", {
          value: filter.value,
          onInput: ({ target }: Event) => (filter.value = (target as HTMLInputElement).value),
        }),
      ]),
      h("p", `${String(matching.value.length)} people, ${chosen.value} chosen`),
      h(
        "div",
        {
          id: "list",
          style: `height:${String(VIEW_PX)}px;overflow:auto`,
          onScroll: ({ target }: Event) => (top.value = (target as Element).scrollTop),
        },
        [
          h(
            "div",
            { style: `height:${String(matching.value.length * ROW_PX)}px;position:relative` },
            rows.value.map((name, at) =>
              h(
                "button",
                {
                  key: at,
                  style: `position:absolute;top:${String((first.value + at) * ROW_PX)}px;height:${String(ROW_PX)}px`,
                  onClick: () => (chosen.value = name),
                },
                name,
              ),
            ),
          ),
        ],
      ),
    ];
  },
}).mount("#root");
