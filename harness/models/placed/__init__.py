"""Models that run on the nodes of a cluster, each as several engines."""
