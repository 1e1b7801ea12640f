import { groupValue } from '../api/resources/work.ts';
import { weekAt, weekName } from '../domain/stats.ts';
import { knownOf } from './animals.ts';
import { defineTool, READS, type Tool } from './tool.ts';

/** What the figures have: a year of weeks, and every category, are more than a conversation needs. */
const WEEKS = 12;
const CATEGORIES = 20;

export const shopTools: readonly Tool[] = [
  defineTool('adoption_guide', {
    access: 'public',
    description: 'Says how to adopt here: the steps, and how to reach the shop.',
    input: {},
    output: { 'name?': 'string', 'howToAdopt?': 'string', 'url?': 'string' },
    annotations: READS,
    async call(_, { storage, pagesRoot }) {
      const shop = await storage.shop.get();
      const { accentColour: _colour, logo: _logo, questions: _asked, ...told } = shop;
      return { ...knownOf(told), ...(pagesRoot !== null && { url: `${pagesRoot}/adopt` }) };
    },
  }),
  defineTool('shop_stats', {
    access: 'read',
    description: `Counts animals by status and by category, and adoptions by week, the last ${WEEKS}.`,
    input: {},
    output: { animals: 'object', categories: 'array', adoptions: 'array' },
    annotations: READS,
    async call(_, { storage: { stats }, at }) {
      const last = weekAt(at);
      const categories = await stats.categories(CATEGORIES);
      const adoptions = await stats.adoptions(last - WEEKS + 1);
      return {
        animals: { ...(await stats.pets()) },
        categories: categories.map((category) => ({ ...category })),
        adoptions: adoptions.map(({ week, completed }) => ({ week: weekName(week), completed })),
      };
    },
  }),
  defineTool('todays_work', {
    access: 'write',
    description:
      'Says what there is to do: orders open for days, new enquiries, animals long in care or without a photo, imports with rejected rows. Ids of orders are for move_adoption.',
    input: {},
    output: {
      orders: 'object',
      enquiries: 'object',
      longInCare: 'object',
      withoutPhoto: 'object',
      imports: 'object',
    },
    annotations: READS,
    async call(_, { storage, at }) {
      const { orders, enquiries, longInCare, withoutPhoto, imports } = await storage.work.list(at);
      return {
        orders: groupValue(orders),
        enquiries: groupValue(enquiries),
        longInCare: groupValue(longInCare),
        withoutPhoto: groupValue(withoutPhoto),
        imports: groupValue(imports),
      };
    },
  }),
];
