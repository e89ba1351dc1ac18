// Swagger UI as it is distributed, on a description whose server is the runner's own.

import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

SwaggerUI({ url: "/pets/openapi.json", domNode: document.getElementById("root") });
