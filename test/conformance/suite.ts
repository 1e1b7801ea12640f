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
  /** What it needs and does not find on this machine; in CI it must find everything. */
  readonly missing?: string | undefined;
  /** Throws what is wrong, warnings included. Gives a line about what was seen. */
  judge(court: Court): Promise<string>;
}
