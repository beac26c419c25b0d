"""What the words beside a formula say."""
