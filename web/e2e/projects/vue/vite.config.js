import vue from "@vitejs/plugin-vue";
import eye from "eye-client/vite";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [vue(), eye()] });
