import type { JudgedService } from './service.ts';
import type { Tools } from './tools.ts';

/** What a judge works with. */
export interface Court {
  readonly tools: Tools;
  readonly service: JudgedService;
}

/** A tool that we did not write, which holds the service or its document against its own rules. */
export interface Judge {
  readonly name: string;
  /** Throws what is wrong, warnings included. Gives a line about what was seen. */
  judge(court: Court): Promise<string>;
}
