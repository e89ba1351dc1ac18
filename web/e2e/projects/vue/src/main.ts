// Starts the application as a new project of Vite and Vue does.

import { createApp } from "vue";
import App from "./App.vue";

createApp(App).mount("#root");
