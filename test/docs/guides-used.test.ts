import { useShop } from './busy-shop.ts';
import { testGuides } from './guides.ts';

testGuides('a shop that has done other things before', useShop);
