// Links with which an event type can be booked once, of the public service.
import { schedulingLinkResource } from '#schemas/resources/scheduling-link.ts';
import { schedulingLinkRequest } from '#schemas/scheduling-link.ts';
import { createSchedulingLink } from '#src/sandbox/world/scheduling-links.ts';
import { demandEventType } from './permissions.ts';
import { create } from './service-operation.ts';

export const schedulingLinkOperations = [
  create('createSchedulingLink', '/scheduling_links', {
    summary: 'Makes a link with which an event type can be booked once, within 90 days',
    scopes: ['scheduling_links:write'],
    body: schedulingLinkRequest,
    schema: schedulingLinkResource,
    run: (call) => createSchedulingLink(call.service, demandEventType(call, call.body.owner, 'owner')),
  }),
];
