// The type of a Vue component file for TypeScript.

declare module "*.vue" {
  import type { Component } from "vue";
  const component: Component;
  export default component;
}
