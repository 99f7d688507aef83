/** The operations that a document has by its webhooks: named here for whoever reads them and whoever runs them. */

/** What operations are called that the document says only by its webhooks. */
export const webhookOperations = {
  create: "createWebhook",
  list: "listWebhooks",
  read: "getWebhook",
  change: "changeWebhook",
  delete: "deleteWebhook",
  enable: "enableWebhook",
  disable: "disableWebhook",
  rotate: "rotateWebhookSecret",
  reveal: "getWebhookSecret",
  recover: "recoverWebhook",
  deliveries: "listWebhookDeliveries",
  delivery: "getWebhookDelivery",
  resend: "resendWebhookDelivery",
} as const;

/** The resources that are added. */
export const webhookResource = "Webhook";
export const deliveryResource = "WebhookDelivery";
