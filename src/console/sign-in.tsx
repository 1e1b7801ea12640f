import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './components/button.tsx';
import { Field } from './components/field.tsx';
import { Icon } from './components/icon.tsx';
import { explain, failureOf } from './failures.ts';
import { signIn } from './session.ts';

interface SignInProps {
  /** Whether the session of this person has ended, and what they had begun is still there. */
  readonly isReturn?: boolean;
}

/** The page for people who are not signed in. Afterwards the console shows the page they wanted. */
export function SignIn({ isReturn = false }: SignInProps) {
  const [problem, setProblem] = useState<string>();
  const [isExposed, setExposed] = useState(false);
  const [isSending, setSending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const field = () => form.current?.querySelector('input');
  useEffect(() => {
    const before = document.title;
    document.title = 'Sign in · Petstore';
    field()?.focus();
    return () => {
      document.title = before;
    };
  }, []);

  async function submit(event: Event) {
    event.preventDefault();
    const key = field()?.value.trim() ?? '';
    if (key === '') return refuse('Enter your access key.');
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
    field()?.focus();
  }

  if (!isSecureContext) return <Exposed isReturn={isReturn} />;
  return (
    <Place isReturn={isReturn}>
      <Icon name="animals" />
      <h1>Sign in to Petstore</h1>
      <p>
        {isReturn
          ? 'Show your key again, and what you had begun is still there.'
          : 'Use the access key that a manager made for you.'}
      </p>
      <form ref={form} onSubmit={submit} noValidate>
        <Field
          label="Access key"
          name="key"
          hint="It starts with petstore_"
          problem={problem}
          more={{ type: 'password', autoComplete: 'current-password', autoCapitalize: 'none' }}
        />
        <Button type="submit" kind="primary" isDisabled={isSending}>
          {isSending ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
      <p class="hint">
        {isExposed ? (
          <a href="/docs/errors#insecure_connection">How to set up TLS</a>
        ) : (
          'No key yet? Ask your manager.'
        )}
      </p>
    </Place>
  );
}

/** Instead of the form where others on the network could read the key, which the service would refuse. */
function Exposed({ isReturn = false }: SignInProps) {
  return (
    <Place isReturn={isReturn}>
      <Icon name="animals" />
      <h1>Sign in to Petstore</h1>
      <p>Others on this network could read your key: open this page with https.</p>
      <p class="hint">
        <a href="/docs/errors#insecure_connection">How to set up TLS</a>
      </p>
    </Place>
  );
}

/** The whole window; over a page with something unfinished, a dialog that only signing in ends. */
function Place({ isReturn, children }: SignInProps & { readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  if (!isReturn) {
    return (
      <main class="sign-in" id="main">
        {children}
      </main>
    );
  }
  const stay = (event: Event) => event.preventDefault();
  return (
    <dialog
      ref={dialog}
      class="sign-in"
      aria-label="Sign in again"
      onCancel={stay}
      onKeyDown={(event) => event.key === 'Escape' && stay(event)}
    >
      {children}
    </dialog>
  );
}

function reasonOf(error: ReturnType<typeof failureOf>): string {
  if (error.status === 401) return 'This key is not valid. Check that all of it was copied.';
  return error.status === 403 ? error.message : explain(error);
}
