"""A network of one's own: a namespace for clients, and a wire to it with a rate, a delay and losses."""
