import type { Answer } from '../http/answer.ts';
import { htmlPage } from './layout.ts';

const welcome = htmlPage(
  'Petstore',
  `<p>An HTTP and JSON interface to the animals that are here for adoption.</p>
<table>
<tr><th>Operation<th>
<tr><td><code>GET /v1/pets</code><td>List animals, page by page
<tr><td><code>POST /v1/pets</code><td>Add an animal
<tr><td><code>GET /v1/pets/{petId}</code><td>Get an animal (<a href="/docs/deprecations">deprecated</a>)
</table>
<p>Every operation needs an API key:</p>
<pre>curl -H "Authorization: Bearer $API_KEY" <span>/v1/pets?status=available</span></pre>
<p><a href="/livez">Is it alive?</a> <a href="/readyz">Is it ready?</a></p>`,
);

const deprecations = htmlPage(
  'Deprecations',
  `<h2><code>GET /v1/pets/{petId}</code></h2>
<p>Deprecated since 21 November 2026; it is removed on 5 December 2030. From that day on it answers
<code>410</code> with the code <code>operation_removed</code>.</p>
<p>Use <code>GET /v1/pets</code> instead: with <code>status</code> for the animals that are
available, or with <code>id</code> for the ones you know, up to 100 at once.</p>
<pre>GET /v1/pets?id=42</pre>
<p>The answer is an array: empty where there is no such animal, in place of a <code>404</code>.</p>`,
);

/** The pages that the service shows, by path. */
export const pages: ReadonlyMap<string, Answer> = new Map([
  ['/', welcome],
  ['/docs', welcome],
  ['/docs/deprecations', deprecations],
]);
