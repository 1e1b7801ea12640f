// Starts the reference page: Scalar, with the service's own OpenAPI document.

import { nameControls } from './controls.js';
import { documentForPage, parseExactly } from './document.js';

const mount = document.querySelector('#reference');

// Zod, inside the bundle, tries whether it may compile code; our policy forbids it, so tell it.
globalThis.__zod_globalConfig = { jitless: true };

const [source] = await Promise.all([readDocument(), loadScript(mount.dataset.bundle)]);
const shown = documentForPage(parseExactly(source));

globalThis.Scalar.createApiReference(mount, {
  content: shown,
  theme: 'none',
  layout: 'modern',
  // Nothing of the page may ask another host.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // The page follows the system, as the guides do.
  hideDarkModeToggle: true,
  documentDownloadType: 'none',
  persistAuth: false,
  defaultOpenAllTags: true,
  defaultRequestBodyView: 'raw',
  authentication: { preferredSecurityScheme: Object.keys(shown.components.securitySchemes)[0] },
  hiddenClients: hiddenClients(),
  plugins: [
    () => ({ name: 'petstore', extensions: [withoutPanel()], apiClientPlugins: [guard()] }),
  ],
});
nameControls(mount);

async function readDocument() {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`The document cannot be read: ${response.status}`);
  return response.text();
}

function loadScript(src) {
  return new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src });
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

/** Of the clients that Scalar can write samples for, Python and Go; curl and TypeScript are ours. */
function hiddenClients() {
  const others = 'c clojure csharp dart fsharp http java js julia kotlin node objc ocaml php shell';
  const hidden = Object.fromEntries(
    `${others} powershell r ruby rust swift`.split(' ').map((target) => [target, true]),
  );
  return {
    ...hidden,
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
  };
}

/** Takes the button of the test panel away from operations that are marked so; says it instead. */
function withoutPanel() {
  return {
    name: 'x-hideTryItPanel',
    component: {
      props: ['xHideTryItPanel'],
      render() {
        return this.xHideTryItPanel ? 'The test panel is off for this operation.' : '';
      },
      mounted() {
        if (!this.xHideTryItPanel) return;
        this.$el.parentElement.closest('section').dataset.panel = 'off';
      },
    },
  };
}

/** Sends nothing for such an operation, whichever way the panel was reached. */
function guard() {
  return {
    hooks: {
      beforeRequest({ operation }) {
        if (operation['x-hideTryItPanel']) throw new Error('The test panel is off here.');
      },
    },
  };
}
