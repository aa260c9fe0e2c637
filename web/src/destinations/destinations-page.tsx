/** Buckets to which screenshots are copied. */

import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { destinationsQuery } from "../api/destination-queries.ts";
import { Button } from "../ui/button.tsx";
import { Empty, type ExampleRow, ExampleRows } from "../ui/empty.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { DestinationList } from "./destination-list.tsx";
import { SaveDestination } from "./save-destination.tsx";

const exampleDestinations: ExampleRow[] = [
  { title: "archive", about: "our-pages at s3.eu-central-1.amazonaws.com", badge: ["good", "Works"], time: "2 minutes ago" },
  { title: "press", about: "clippings at storage.example.org", badge: ["good", "Works"], time: "9 hours ago" },
];

export function DestinationsPage() {
  const { data: destinations } = useSuspenseQuery(destinationsQuery);
  const [saving, setSaving] = useState(false);
  const button = (
    <Button look="primary" onClick={() => setSaving(true)}>
      <Icon name="plus" />
      Add destination
    </Button>
  );
  return (
    <Page
      title="Destinations"
      about="Your own buckets: captures with the option destination are copied there."
      actions={destinations.length > 0 && button}
    >
      {destinations.length === 0 ? (
        <Empty title="No destinations yet" action={button} example={<ExampleRows rows={exampleDestinations} />}>
          A destination is a bucket on any S3-compatible server. Screenshots are copied to it, and stay there for as long as you like.
        </Empty>
      ) : (
        <DestinationList destinations={destinations} />
      )}
      {saving && <SaveDestination onClose={() => setSaving(false)} />}
    </Page>
  );
}
