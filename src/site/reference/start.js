// Starts the reference page: Scalar, with the service's own OpenAPI document.

import { nameControls } from './controls.js';
import { documentForPage, parseExactly } from './document.js';

const mount = document.querySelector('#reference');

// Zod in the bundle would try to compile code, which our content security policy forbids.
globalThis.__zod_globalConfig = { jitless: true };

const [source] = await Promise.all([readDocument(), loadScript(mount.dataset.bundle)]);
const shown = documentForPage(parseExactly(source));

globalThis.Scalar.createApiReference(mount, {
  content: shown,
  theme: 'none',
  layout: 'modern',
  // The page must not contact another host.
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  // Dark mode follows the system, as in the guides.
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

/** Scalar writes only the Python and Go samples; curl and TypeScript are ours. */
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

/** Replaces the button of the test panel by a note on operations marked x-hideTryItPanel. */
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

/** Blocks requests for these operations, however the panel was opened. */
function guard() {
  return {
    hooks: {
      beforeRequest({ operation }) {
        if (operation['x-hideTryItPanel']) throw new Error('The test panel is off here.');
      },
    },
  };
}
