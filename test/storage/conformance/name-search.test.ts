import { describeContract } from './contract.ts';
import { describeNameSearch } from './name-search.ts';

describeContract((engine) => describeNameSearch(engine));
