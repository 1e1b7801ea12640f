import type { ServiceUnderTest } from './service.ts';
import type { Tools } from './tools.ts';

/** The tools and the service that a suite uses. */
export interface SuiteContext {
  readonly tools: Tools;
  readonly service: ServiceUnderTest;
}

/** A tool that we did not write, which checks the service or its document. */
export interface ConformanceSuite {
  readonly name: string;
  /** The reason to skip it on this machine. In CI it is never skipped. */
  readonly missing?: string | undefined;
  /** Set if it takes minutes: it runs only when it is named, as the check of a release does. */
  readonly apart?: boolean;
  /** Throws on any error or warning. Returns a one-line summary. */
  check(context: SuiteContext): Promise<string>;
}
