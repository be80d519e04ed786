// The page that shows all calls of the REST API. Swagger UI is a script of its own, which defines a global name.
type Component = object;
type System = {
  React: { createElement: (component: Component | string, properties?: object, ...children: object[]) => object };
  getComponent: (name: string, hasState?: true) => Component;
};
declare function SwaggerUIBundle(options: {
  domNode: Element | null; url: string; deepLinking: boolean; docExpansion: "none"; layout: string;
  plugins: ((system: System) => { components: Record<string, Component> })[];
}): void;

const root = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");

function applyTheme(): void {
  root.classList.toggle("dark-mode", (root.dataset["theme"] ?? (dark.matches ? "dark" : "light")) === "dark");
}

// Swagger UI's own layout has a second main landmark, and a head that repeats ours.
function layout({ React, getComponent }: System): { components: Record<string, Component> } {
  const parts = ["AuthorizeBtnContainer", "errors", "operations", "Models"];
  const draw = () => React.createElement(
    "div", { className: "swagger-ui" }, React.createElement(getComponent("SvgAssets")),
    ...parts.map(name => React.createElement(getComponent(name, true))),
  );
  return { components: { Calls: draw } };
}

dark.addEventListener("change", applyTheme);
new MutationObserver(applyTheme).observe(root, { attributeFilter: ["data-theme"] });
applyTheme();
SwaggerUIBundle({
  domNode: document.querySelector("[data-calls]"), url: "/api/v1/openapi.json", deepLinking: true, docExpansion: "none",
  layout: "Calls", plugins: [layout],
});
