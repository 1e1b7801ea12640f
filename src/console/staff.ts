/** Who may take care of enquiries. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { collect, type StaffMember, store } from './service.ts';

/** Undefined until it is known. */
export const staff = signal<readonly StaffMember[] | undefined>(undefined);

/** Looks who there is whenever a page begins to show them. */
export function useStaff(): readonly StaffMember[] {
  useEffect(() => {
    collect(store.staff.list({ limit: 100 })).then(
      (found) => {
        staff.value = found;
      },
      // Those who were known before can still be chosen.
      () => {},
    );
  }, []);
  return staff.value ?? [];
}
