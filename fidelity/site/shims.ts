/** React as ES modules, for libraries that import it: its last version with browser builds only defines global variables. */

const exported = {
  react: ["Children", "Component", "Fragment", "PureComponent", "StrictMode", "Suspense", "cloneElement", "createContext", "createElement"],
  hooks: ["forwardRef", "isValidElement", "lazy", "memo", "startTransition", "useCallback", "useContext", "useDeferredValue", "useEffect"],
  more: ["useId", "useImperativeHandle", "useInsertionEffect", "useLayoutEffect", "useMemo", "useReducer", "useRef", "useState"],
  last: ["useSyncExternalStore", "useTransition"],
};
const reactNames = Object.values(exported).flat().join(", ");

/** Modules by file name. */
export const shims: Record<string, string> = {
  "react.js": `const React = globalThis.React; export default React; export const { ${reactNames} } = React;`,
  "react-dom.js":
    "const ReactDOM = globalThis.ReactDOM; export default ReactDOM; export const { createPortal, createRoot, flushSync } = ReactDOM;",
  "jsx-runtime.js": `const { createElement, Fragment } = globalThis.React;
    export const jsx = (type, props, key) => createElement(type, key === undefined ? props : { ...props, key });
    export const jsxs = jsx; export { Fragment };`,
};

/** For the head of a page: global variables, and an import map for modules. */
export const reactHead = `<script src="/npm/react/umd/react.production.min.js"></script>
<script src="/npm/react-dom/umd/react-dom.production.min.js"></script>
<script type="importmap">{ "imports": { "react": "/shims/react.js", "react-dom": "/shims/react-dom.js", "react/jsx-runtime": "/shims/jsx-runtime.js" } }</script>`;
