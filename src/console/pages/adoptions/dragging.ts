/** The order that is being dragged. */
import { signal } from '@preact/signals';
import type { Order } from '../../service.ts';

/** An order on its way to another column. */
export interface DraggedOrder {
  readonly order: Order;
  /** The name of the animal. */
  readonly animal: string;
}

/** The order under the pointer; undefined if none is being dragged. */
export const dragged = signal<DraggedOrder | undefined>(undefined);
