// Swagger UI as it is distributed, with an API description whose server is the runner itself.

import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";

SwaggerUI({ url: "/pets/openapi.json", domNode: document.getElementById("root") });
