import type { Answer } from '../http/answer.ts';

/** Nothing from elsewhere, no script: a page that only shows text needs no more. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const STYLE = `
  :root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif }
  body { max-width: 42rem; margin: 3rem auto; padding: 0 1.25rem }
  code, pre { font: 0.9em ui-monospace, monospace }
  pre { padding: 1rem; overflow-x: auto; border: 1px solid; border-radius: 0.5rem }
  table { border-collapse: collapse } th, td { text-align: left; padding: 0.3rem 1rem 0.3rem 0 }`;

/** An HTML page out of its title and the HTML of its main part. */
export function htmlPage(title: string, main: string): Answer {
  return {
    status: 200,
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
<main>
<h1>${title}</h1>
${main}
</main>
</html>
`,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    },
  };
}
