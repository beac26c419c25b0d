"""Models on the nodes of a cluster, as several engines each."""
