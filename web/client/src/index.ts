// What a page imports from "eye-client".

export { connect, type ConnectOptions, type Eye } from "./connect.js";
export { VERSION } from "./version.js";
