import { beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { HtmlValidate } from 'html-validate';
import { renderAnimal } from '../../src/adopt/animal.ts';
import { renderEnquiryForm, renderThanks } from '../../src/adopt/enquiry.ts';
import { html } from '../../src/adopt/html.ts';
import { renderCard } from '../../src/adopt/kennel-card.ts';
import { EMPTY_PROFILE } from '../../src/domain/profile.ts';
import { EMPTY_SHOP } from '../../src/domain/shop.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';
import { addListed, WHOLE } from './shelter.ts';

const MARKER = 'NEVERSHOWN';
const validator = new HtmlValidate({
  extends: ['html-validate:standard', 'html-validate:document', 'html-validate:a11y'],
  rules: {
    // Matters of taste: how the source looks, and texts that other people write.
    'long-title': 'off',
    // The files are on the same server.
    'require-sri': 'off',
    'no-trailing-whitespace': 'off',
    'void-style': 'off',
    'attr-quotes': 'off',
    'doctype-style': 'off',
    'no-inline-style': 'error',
    // Telephone numbers and lines are as the shop writes them.
    'tel-non-breaking': 'off',
    'prefer-native-element': 'off',
  },
});

async function problemsOf(text: string): Promise<string[]> {
  const { results } = await validator.validateString(text);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
  );
}

describe('the markup of the public pages', () => {
  let paths: string[];

  const petstore = forAllTests(() => startPetstore());
  beforeAll(async () => {
    const known = { location: MARKER, medicalNotes: MARKER, behaviourNotes: MARKER };
    const secret = { ...known, microchip: MARKER };
    const rex = await addListed(petstore, 'Rex & <Co>', { ...WHOLE, ...secret }, 3);
    const zoe = await addListed(petstore, 'Zoë', { species: 'cat', ...secret });
    const sold = await addListed(petstore, 'Luna', secret, 1);
    const off = await addListed(petstore, MARKER, { ...secret, published: false }, 1);
    await petstore.writer.patch(`/v1/pets/${sold}`, { status: 'sold' });
    for (let n = 0; n < 26; n++)
      await addListed(petstore, `Dog ${n}`, { ...WHOLE, headline: null });
    await petstore.admin.patch('/v1/shop', {
      ...{ name: 'A & B', address: 'Way 1\n8000 Town', telephone: '+41 44 555 01 02' },
      ...{ email: 'a@shelter.example', hours: 'Mon\nTue', howToAdopt: 'One.\n\nTwo.' },
    });
    const next = /rel="next" href="([^"]*)"/.exec((await get('/adopt')).text)?.[1] ?? '';
    paths = [
      ...['/adopt', next.replaceAll('&amp;', '&'), '/adopt?species=cat&sort=name&lang=de'],
      ...['/adopt?q=nothing-like-this', '/adopt?species=x', '/adopt/nowhere'],
      ...[`/adopt/${rex}/rex-co`, `/adopt/${zoe}/zoe?lang=de`, `/adopt/${sold}/luna`],
      ...[`/adopt/${off}/nevershown`, `/adopt/${rex}/card`, `/adopt/${zoe}/card?lang=de`],
      ...[`/adopt/${rex}/enquiry`, `/adopt/${rex}/thanks`, `/adopt/${off}/enquiry`],
    ];
  });

  async function get(path: string, headers = {}) {
    const response = await fetch(petstore.url + path, { headers });
    return { response, text: await response.text() };
  }

  test('is valid on every page', async () => {
    const found: Record<string, string[]> = {};
    for (const path of paths) found[path] = await problemsOf((await get(path)).text);
    expect(found).toEqual(Object.fromEntries(paths.map((path) => [path, []])));
  });

  test('loads nothing that the policy forbids, and has no style in an attribute', async () => {
    for (const path of paths) {
      const { response, text } = await get(path);
      expect(response.headers.get('content-security-policy')).not.toContain('unsafe');
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(text).not.toMatch(/<[^>]* style=/);
      for (const [, url = ''] of text.matchAll(/ (?:src|srcset|action)="([^"]*)"/g)) {
        expect(url).toStartWith('/');
      }
    }
  });

  test('has private fields nowhere', async () => {
    const programs = [
      '/adopt/animals.json',
      '/adopt/feed.xml',
      '/adopt/sitemap.xml',
      '/robots.txt',
    ];
    for (const path of [...paths, ...programs, '/adopt/feed.xml?species=dog&lang=de']) {
      expect([path, (await get(path)).text.includes(MARKER)]).toEqual([path, false]);
    }
  });

  test('takes less than 60 kB for a list of 24, compressed', async () => {
    const { text, response } = await get('/adopt');
    expect(text.match(/<li class="card">/g)).toHaveLength(24);
    const styles = /rel="stylesheet" href="([^"]*)"/.exec(text)?.[1] ?? '';
    const bytes = (await get(styles)).text.length + text.length;
    expect(response.headers.get('content-encoding')).toMatch(/br|gzip/);
    expect(Bun.gzipSync(`${text}${(await get(styles)).text}`).length).toBeLessThan(60_000);
    expect(bytes).toBeLessThan(200_000);
  });

  test('shows all that somebody typed as text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        ...[
          '<script>alert(1)</script>',
          '"><img src=x onerror=alert(1)>',
          "' onclick='x",
          '&lt;b>',
        ],
        ...['</script><script>', '</textarea><b>', '\u2028', '<!--', ']]>', '</style>'],
      ),
    );
    fc.assert(
      fc.property(
        hostile,
        hostile,
        fc.constantFrom('en' as const, 'de' as const, 'es' as const),
        (a, b, language) => {
          const profile = {
            ...EMPTY_PROFILE,
            species: 'dog',
            breed: a,
            headline: b,
            description: a,
          } as const;
          const words = { specialNeeds: true, specialNeedsNote: a, colours: [b], fee: null };
          const pet = { id: 1n, name: a, categoryId: 1n, status: 'available' } as const;
          const photo = {
            ...{ id: 1n, petId: 1n, sha256: 'a'.repeat(64), width: 640, height: 480 },
          };
          const photos = [{ ...photo, alt: b, position: 1, focus: { x: 0.5, y: 0.5 } }];
          const animal = {
            pet,
            profile: { ...profile, ...words },
            photos,
            listedAt: 0,
            shownAt: 0,
          };
          const shop = {
            ...EMPTY_SHOP,
            name: b,
            address: a,
            hours: b,
            telephone: a,
            howToAdopt: b,
          };
          const root = 'https://shelter.example';
          const at = Date.UTC(2026, 10, 23);
          const page = { shop, language, namesLanguage: true, root, at, takesAlerts: true };
          const form = {
            animal,
            values: { name: a, message: b },
            questions: shop.questions,
            answers: {},
            problems: [],
            wrongAnswers: [],
            stamp: a,
            keptDays: 1,
          };
          const texts = [
            renderAnimal(page, animal, [animal], true),
            renderCard(page, animal),
            renderEnquiryForm(page, form),
            renderThanks(page, animal, true),
          ];
          for (const text of texts) expect(elementsOf(text)).toEqual(ELEMENTS);
        },
      ),
    );
  });

  test('escapes parts, and writes lists and nothing', () => {
    expect(html`<p title="${'"<&\u0000'}">${[1n, null, false, html`<b>x</b>`]}</p>`.text).toBe(
      '<p title="&quot;&lt;&amp;\uFFFD">1<b>x</b></p>',
    );
  });
});

/** Elements and attributes that only code could have brought in. */
function elementsOf(text: string): string[] {
  const found: string[] = [];
  new HTMLRewriter()
    .on('script:not([type="application/ld+json"]):not([src^="/adopt/"]), b, iframe', {
      element: ({ tagName }) => void found.push(tagName),
    })
    .on('[onerror], [onclick]', { element: ({ tagName }) => void found.push(tagName) })
    .transform(text);
  return found;
}
const ELEMENTS: string[] = [];
