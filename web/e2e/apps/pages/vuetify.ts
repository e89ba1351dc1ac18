// A trip planned with Vuetify: a text field, a select, an autocomplete, a checkbox, a slider, and a dialog to confirm.

import { createApp, defineComponent, reactive, ref } from "vue/dist/vue.esm-bundler.js";
import { createVuetify } from "vuetify";
import * as components from "vuetify/components";
import * as directives from "vuetify/directives";
import "vuetify/styles";
import { report } from "./store";

const Trip = defineComponent({
  setup() {
    const trip = reactive({ name: "", travel: null, city: null, insured: false, days: 3 });
    const asking = ref(false);
    const confirm = (): void => {
      asking.value = false;
      report("vuetify", trip);
    };
    return { trip, asking, confirm, ways: ["Train", "Ship", "Bus"], cities: ["Berlin", "Bergen", "Bern", "Bonn"] };
  },
  template: `<v-app><v-container style="max-width: 480px">
    <h1>Trip</h1>
    <v-text-field v-model="trip.name" label="Traveller" />
    <v-select v-model="trip.travel" :items="ways" label="Travel by" />
    <v-autocomplete v-model="trip.city" :items="cities" label="City" />
    <v-checkbox v-model="trip.insured" label="Insurance" />
    <v-slider v-model="trip.days" label="Days" :min="1" :max="14" :step="1" />
    <v-btn @click="asking = true">Plan trip</v-btn>
    <v-dialog v-model="asking" max-width="360"><v-card title="Plan this trip?">
      <v-card-actions><v-btn @click="asking = false">Back</v-btn><v-btn @click="confirm">Confirm</v-btn></v-card-actions>
    </v-card></v-dialog>
  </v-container></v-app>`,
});

createApp(Trip).use(createVuetify({ components, directives })).mount("#root");
