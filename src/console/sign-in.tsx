import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from './components/error-state.tsx';
import { failureOf } from './loading.ts';
import { signIn } from './session.ts';

const GUIDE = '/docs/authentication';

/** The page for people who are not signed in. Afterwards the console shows the page they wanted. */
export function SignIn() {
  const [problem, setProblem] = useState<string>();
  const [isExposed, setExposed] = useState(false);
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Petstore';
    field.current?.focus();
  }, []);

  async function submit(event: Event) {
    event.preventDefault();
    const key = field.current?.value.trim() ?? '';
    if (key === '') return refuse('Enter your API key.');
    setSending(true);
    setProblem(undefined);
    try {
      await signIn(key);
    } catch (error) {
      const failure = failureOf(error);
      setExposed(failure.code === 'insecure_connection');
      refuse(reasonOf(failure));
    } finally {
      setSending(false);
    }
  }

  function refuse(reason: string) {
    setProblem(reason);
    field.current?.focus();
  }

  return (
    <main class="sign-in" id="main">
      <h1>Sign in to Petstore</h1>
      <p>Use the API key that an administrator made for you.</p>
      <form onSubmit={submit} noValidate>
        <div class="field">
          <label for="key">API key</label>
          <input
            ref={field}
            id="key"
            name="key"
            type="password"
            autoComplete="current-password"
            spellcheck={false}
            autoCapitalize="none"
            aria-invalid={problem !== undefined}
            aria-describedby={problem === undefined ? 'key-hint' : 'key-problem'}
          />
          {problem === undefined ? (
            <p class="hint" id="key-hint">
              It starts with petstore_
            </p>
          ) : (
            <p class="problem" id="key-problem" role="alert">
              {problem}
            </p>
          )}
        </div>
        <button type="submit" class="button primary" aria-disabled={isSending}>
          {isSending ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      <p class="aside">
        {isExposed ? (
          <a href="/docs/errors#insecure_connection">How to set up TLS</a>
        ) : (
          <>
            No key yet? <a href={GUIDE}>How keys are made</a>
          </>
        )}
      </p>
    </main>
  );
}

function reasonOf(error: ReturnType<typeof failureOf>): string {
  if (error.status === 401) return 'This key is not valid. Check that all of it was copied.';
  return error.status === 403 ? error.message : explain(error);
}
