// Made from openapi.json by `npm run openapi`.
import { type ChangeOptions, Group, type PostOptions } from '../../group.ts';
import type { Int64 } from '../../json.ts';
import type { List } from '../../list.ts';
import type { CallOptions } from '../../transport.ts';
import type { Enquiry, EnquiryChange, ListEnquiriesQuery, Order } from '../types.ts';

/** `store.enquiries`. */
export class EnquiryOperations extends Group {
  /** List enquiries. */
  list(query: ListEnquiriesQuery = {}, options?: CallOptions): List<Enquiry> {
    return this.listAt('/enquiries', query, options);
  }

  /** Get an enquiry. */
  get(enquiryId: Int64, options?: CallOptions): Promise<Enquiry> {
    return this.readAt(`/enquiries/${enquiryId}`, options);
  }

  /** Update an enquiry. */
  update(
    enquiryId: Int64,
    body: EnquiryChange,
    options?: ChangeOptions<Enquiry>,
  ): Promise<Enquiry> {
    return this.changeAt('PATCH', `/enquiries/${enquiryId}`, body, options, () =>
      this.get(enquiryId, options),
    );
  }

  /** Start the adoption from an enquiry. */
  orderFromEnquiry(enquiryId: Int64, options?: PostOptions): Promise<Order> {
    return this.postTo(`/enquiries/${enquiryId}/order`, undefined, options, true);
  }
}
