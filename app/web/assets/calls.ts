// The page that shows all calls of the REST API. Swagger UI is a script of its own, which defines a global name.
declare function SwaggerUIBundle(options: { domNode: Element | null; url: string; deepLinking: boolean; docExpansion: "none" }): void;

const root = document.documentElement;
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
root.classList.toggle("dark-mode", (root.dataset["theme"] ?? (isDark ? "dark" : "light")) === "dark");
SwaggerUIBundle({ domNode: document.querySelector("[data-calls]"), url: "/api/v1/openapi.json", deepLinking: true, docExpansion: "none" });
