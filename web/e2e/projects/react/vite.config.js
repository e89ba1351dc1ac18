import react from "@vitejs/plugin-react";
import eye from "eye-client/vite";
import { defineConfig } from "vite";

export default defineConfig({ plugins: [react(), eye()] });
