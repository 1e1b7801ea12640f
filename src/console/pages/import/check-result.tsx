import type { Import } from '../../service.ts';
import { Counts } from './counts.tsx';
import { RejectedRows } from './rejected-rows.tsx';

/** What an import would do. */
export function CheckResult({ result }: { readonly result: Import }) {
  return (
    <section class="import-result" role="status" aria-labelledby="check">
      <h2 id="check">
        {result.status === 'failed' ? 'This file cannot be imported' : 'What would happen'}
      </h2>
      {result.failure !== undefined && <p class="problem">{result.failure.message}</p>}
      {result.failure === undefined && <Counts of={result} />}
      <RejectedRows of={result} />
    </section>
  );
}
